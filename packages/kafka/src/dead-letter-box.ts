import type { OutgoingRecord } from './codec.ts';
import { createMicroBatch } from './micro-batch.ts';
import type { ProducerSession } from './producer-session.ts';

/** Writes records unchanged, one request at a time; connects at the first. */
export const createDeadLetterBox = (session: ProducerSession) => {
  const batch = createMicroBatch<OutgoingRecord>({
    send: session.send,
    sizeOf: (record) => record.value?.length ?? 0,
    lingerMs: 0,
    maxBatchBytes: 512 * 1024,
    maxBatchItems: 500,
    maxQueued: 10_000,
    timeoutMs: 10_000,
  });
  return {
    /** @throws BrokerUnavailableError when it is not known to be written. */
    put: (record: OutgoingRecord): Promise<void> => batch.add([record]),
    async stop(): Promise<void> {
      await batch.close();
      await session.stop();
    },
  };
};

export type DeadLetterBox = ReturnType<typeof createDeadLetterBox>;
