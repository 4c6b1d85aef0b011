import { randomBytes } from 'node:crypto';
import type { Hex } from '@indelible/identifiers';
import type { WaitingStamp } from '../../../services/stamping/src/decisions/compose-batch.ts';
import type { CommitJob } from './part-jobs.ts';

/** Stamps that wait, as stamping has read them from its table: each with a fresh CID, the sets in turn. */
export function waitingStamps({ user, setCids, batches, stampsPerBatch }: CommitJob): WaitingStamp[][] {
  return Array.from({ length: batches }, (_, batch) =>
    Array.from({ length: stampsPerBatch }, (_, i) => ({
      stampId: `${batch}-${i}`,
      seq: batch * stampsPerBatch + i,
      account: user,
      setCid: setCids[i % setCids.length] as Hex,
      objectCid: `0x${randomBytes(32).toString('hex')}` as const,
      collectionId: 1,
      setOnChain: true,
      requestId: null,
      traceparent: null,
      collectionName: null,
      clientRef: null,
      attempt: 1,
      reversions: 0,
      waitedSeconds: 0,
    })),
  );
}

/** CPU of this process while work is done. */
export async function cpuOf(work: () => Promise<void>): Promise<{ cpuMicroseconds: number; seconds: number }> {
  const began = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpuMicroseconds: user + system, seconds: (performance.now() - began) / 1_000 };
}
