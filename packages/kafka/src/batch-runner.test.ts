import { setImmediate as turn } from 'node:timers/promises';
import { type DataOf, StampFailedV1, type Unhandled } from '@indelible/messages';
import { createBackoff, type Logger } from '@indelible/service-runtime';
import { describe, expect, it } from '@jest/globals';
import { type BatchPayload, createBatchRunner, type Handle } from './batch-runner.ts';
import type { BusEvent } from './bus-event.ts';
import { contractId, createDecoder, createEncoder, type OutgoingRecord } from './codec.ts';
import { MessageInvalidError } from './errors.ts';
import { outgoing } from './message.ts';
import { createProgress } from './progress.ts';
import { createTopicNames } from './topic-names.ts';

const topicNames = createTopicNames('');
const silent: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const encoder = createEncoder({
  contracts: [StampFailedV1],
  schemaIds: new Map([[contractId(StampFailedV1), 1]]),
  source: 'test',
  topicNames,
});
const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const data = (n: number): DataOf<typeof StampFailedV1> => ({ stampId: uuid(n), refusal: { code: 'x', message: '' } });
const record = (n: number) => {
  const encoded = encoder.encode(outgoing(StampFailedV1, data(n), { id: uuid(n), time: '2030-01-01T00:00:00Z' }));
  const { key, value, headers } = encoder.recordOf([encoded]);
  return {
    key: Buffer.from(String(key)),
    value,
    headers: { ...headers } as Record<string, string>,
    offset: String(n),
    timestamp: '0',
  };
};

const createHarness = (
  handle: Handle,
  { maxBatchMessages = 500, commitEveryMs = 0, handOffMs = 60_000, unhandled = 'set-aside' as Unhandled } = {},
) => {
  const journal: string[] = [];
  const letters: OutgoingRecord[] = [];
  const events: BusEvent[] = [];
  const stopping = new AbortController();
  const heartbeat = { fault: undefined as Error | undefined };
  const runner = createBatchRunner({
    groupId: 'g',
    handle: async (batch, context) => {
      await handle(batch, context);
      journal.push(`handled ${batch.map(({ offset }) => offset).join(' ')}`);
    },
    decode: createDecoder({
      contracts: [StampFailedV1],
      topicNames,
      onUnknown: (topic) => events.push({ kind: 'skipped', topic, count: 1 }),
    }),
    deadLetterBox: {
      put: async (letter) => {
        letters.push(letter);
      },
    },
    topicNames,
    maxBatchMessages,
    commitEveryMs,
    heartbeatIntervalMs: 1000,
    sessionTimeoutMs: 10_000,
    stopping: stopping.signal,
    logger: silent,
    onEvent: (event) => events.push(event),
    unhandled: () => unhandled,
    handOffMs,
    backoff: createBackoff({ firstMs: 100, ceilingMs: 10_000 }),
    progress: createProgress(),
    onLag: () => undefined,
    onHandled: () => undefined,
  });
  const payloadOf = (messages: BatchPayload['batch']['messages']): BatchPayload => ({
    batch: { topic: 'events.stamps', partition: 2, highWatermark: '100', messages },
    resolveOffset: (offset) => journal.push(`resolved ${offset}`),
    commitOffsetsIfNecessary: async () => {
      journal.push('committed');
    },
    uncommittedOffsets: () => ({ topics: [] }),
    heartbeat: async () => {
      if (heartbeat.fault !== undefined) throw heartbeat.fault;
    },
    pause: () => {
      journal.push('paused');
      return () => journal.push('resumed');
    },
    isRunning: () => true,
    isStale: () => false,
  });
  const run = (messages: BatchPayload['batch']['messages']) => runner.run(payloadOf(messages));
  const { flush, forget, drain } = runner;
  return { run, journal, letters, events, stopping, heartbeat, flush, forget, drain };
};

describe('a batch from a partition', () => {
  it('is committed slice by slice, each only after it is handled', async () => {
    const { run, journal, events } = createHarness(async () => undefined, { maxBatchMessages: 2 });
    await run([record(0), record(1), record(2)]);
    expect(journal).toEqual(['handled 0 1', 'resolved 1', 'committed', 'handled 2', 'resolved 2', 'committed']);
    expect(events).toEqual([
      { kind: 'consumed', topic: 'events.stamps', count: 2 },
      { kind: 'consumed', topic: 'events.stamps', count: 1 },
    ]);
  });

  it('is committed with those before it when commits are to be few, and by a flush at the latest', async () => {
    const { run, journal, flush } = createHarness(async () => undefined, {
      maxBatchMessages: 2,
      commitEveryMs: 3_600_000,
    });
    await run([record(0), record(1), record(2)]);
    await run([record(3)]);
    expect(journal.filter((entry) => entry === 'committed')).toHaveLength(1);
    await flush();
    expect(journal.slice(-3)).toEqual(['handled 3', 'resolved 3', 'committed']);
    await flush();
    expect(journal.filter((entry) => entry === 'committed')).toHaveLength(2);
  });

  it('is committed to its end when the consumer stops', async () => {
    const { run, journal, stopping } = createHarness(
      async ([message]) => {
        if (message?.offset === '1') stopping.abort();
      },
      { commitEveryMs: 3_600_000 },
    );
    await run([record(0)]);
    await run([record(1)]);
    expect(journal.slice(-3)).toEqual(['handled 1', 'resolved 1', 'committed']);
  });

  it('has an undecodable record set aside with its origin and its error, and the neighbours handled', async () => {
    const { run, journal, letters } = createHarness(async () => undefined);
    await run([record(0), { ...record(1), value: Buffer.from('poison') }, record(2)]);
    expect(journal).toEqual(['handled 0 2', 'resolved 2', 'committed']);
    expect(letters).toHaveLength(1);
    expect(letters[0]).toMatchObject({
      topic: 'events.stamps.dead-letter',
      value: Buffer.from('poison'),
      headers: {
        ce_id: uuid(1),
        'x-dead-letter-topic': 'events.stamps',
        'x-dead-letter-partition': '2',
        'x-dead-letter-offset': '1',
        'x-dead-letter-group': 'g',
        'x-dead-letter-error-name': 'MessageInvalidError',
        'x-dead-letter-error-message': 'The body is not in the wire format',
      },
    });
  });

  it('sets aside a message that its handler calls invalid', async () => {
    const { run, journal, letters, events } = createHarness(async (batch) => {
      if (batch.some(({ offset }) => offset === '1')) throw new MessageInvalidError('cannot be');
    });
    await run([record(0), record(1), record(2)]);
    expect(journal).toEqual(['handled 0', 'handled 2', 'resolved 2', 'committed']);
    expect(letters.map(({ headers }) => headers['x-dead-letter-error-message'])).toEqual(['cannot be']);
    expect(events).toContainEqual({ kind: 'dead-letter', topic: 'events.stamps', count: 1 });
  });

  it('of which nothing is for this reader is passed over without a call', async () => {
    const { run, journal, events } = createHarness(async () => undefined);
    const other = record(0);
    await run([{ ...other, headers: { ...other.headers, ce_type: 'SomethingNew' } }]);
    expect(events).toEqual([{ kind: 'skipped', topic: 'events.stamps', count: 1 }]);
    expect(journal).toEqual(['resolved 0', 'committed']);
  });

  it('is left uncommitted when the consumer stops while it cannot be handled', async () => {
    const { run, journal, stopping } = createHarness(async () => {
      stopping.abort();
      throw new Error('interrupted');
    });
    await run([record(0)]);
    expect(journal).toEqual([]);
  });

  it('is given up, uncommitted, when the group has given its partition to another member', async () => {
    const rebalance = Object.assign(new Error('rebalancing'), { type: 'REBALANCE_IN_PROGRESS' });
    const { run, journal, heartbeat } = createHarness(async (_, context) => {
      heartbeat.fault = rebalance;
      await context.heartbeat();
      expect(context.signal.aborted).toBe(true);
      throw new Error('interrupted');
    });
    await expect(run([record(0)])).rejects.toBe(rebalance);
    expect(journal).toEqual([]);
  });

  it('is handed off when it is to be tried again: its partition is paused until it is handled, and resumed behind it (I12)', async () => {
    let mends = false;
    const { run, journal, drain } = createHarness(async () => {
      if (!mends) throw new Error('database away');
    });
    await run([record(0)]);
    expect(journal).toEqual(['paused']);
    mends = true;
    await drain();
    await turn();
    expect(journal).toEqual(['paused', 'handled 0', 'resolved 0', 'committed', 'resumed']);
  });

  it('is handed off when it takes long (I12)', async () => {
    const end = Promise.withResolvers<void>();
    const { run, journal, drain } = createHarness(() => end.promise, { handOffMs: 1 });
    await run([record(0)]);
    expect(journal).toEqual(['paused']);
    end.resolve();
    await drain();
    await turn();
    expect(journal).toEqual(['paused', 'handled 0', 'resolved 0', 'committed', 'resumed']);
  });

  it('that was handed off resolves and commits nothing once the group is joined again', async () => {
    const end = Promise.withResolvers<void>();
    const { run, journal, forget } = createHarness(() => end.promise, { handOffMs: 1 });
    await run([record(0)]);
    forget();
    expect(journal).toEqual(['paused', 'resumed']);
    end.resolve();
    await turn();
    expect(journal.filter((entry) => /resolved|committed/.test(entry))).toEqual([]);
    // A second one would resume the partition while the next batch has it paused.
    expect(journal.filter((entry) => entry === 'resumed')).toHaveLength(1);
  });

  it('leaves what cannot be read behind a message that is left: it comes again with it, and is set aside once (I5)', async () => {
    let refuse = true;
    const { run, letters, drain } = createHarness(async () => {
      if (refuse) throw Object.assign(new Error('nobody foresaw it'), { code: '42703' });
    });
    const unreadable = { ...record(1), value: Buffer.from('poison') };
    await run([record(0), unreadable]);
    await drain();
    expect(letters).toEqual([]);
    refuse = false;
    await run([record(0), unreadable]);
    await drain();
    expect(letters).toHaveLength(1);
  });

  it('is not taken while the consumer stops, and its partition is paused', async () => {
    const { run, journal, stopping } = createHarness(async () => undefined);
    stopping.abort();
    await run([record(0)]);
    expect(journal).toEqual(['paused']);
  });

  it('of a topic that holds is never set aside, whatever its handler says of it', async () => {
    let calls = 0;
    const { run, letters, journal, stopping, drain } = createHarness(
      async () => {
        calls += 1;
        if (calls === 4) stopping.abort();
        throw new MessageInvalidError('cannot be');
      },
      { unhandled: 'hold' },
    );
    await run([record(0)]);
    await drain();
    expect({ letters, journal: journal.filter((entry) => entry !== 'resumed') }).toEqual({
      letters: [],
      journal: ['paused'],
    });
  });

  it('has a message of a version that is not handled set aside: what was accepted is not skipped (I6)', async () => {
    const { run, journal, letters } = createHarness(async () => undefined);
    const newer = record(1);
    await run([record(0), { ...newer, headers: { ...newer.headers, ce_indelibleversion: '99' } }]);
    expect(journal).toEqual(['handled 0', 'resolved 1', 'committed']);
    expect(letters.map(({ headers }) => headers['x-dead-letter-error-message'])).toEqual([
      'StampFailed.v99 is a version that is not handled here',
    ]);
  });
});
