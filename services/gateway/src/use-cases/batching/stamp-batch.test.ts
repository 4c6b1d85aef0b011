import { setImmediate as turn } from 'node:timers/promises';
import { cidOfContent, type Hex } from '@indelible/identifiers';
import { BrokerUnavailableError, PublisherBusyError } from '@indelible/kafka';
import type { Receipt, RefusalCode, Reply, RequestStamp } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import { HttpError } from '../../errors/http-error.ts';
import type { CollectionView } from '../../projections/collections.ts';
import { createWaitingRoom } from '../stamping/waiting-room.ts';
import { createLineWindow } from './line-window.ts';
import type { BatchPorts, BatchRequest } from './ports.ts';
import { stampBatch } from './stamp-batch.ts';

const account: Hex = `0x${'aa'.repeat(20)}`;
const cidOf = (n: number): Hex => cidOfContent(`line ${n}`);
const lineOf = (n: number, fields: object = {}): string => `${JSON.stringify({ data_cid: cidOf(n), ...fields })}\n`;
const linesOf = (count: number, from = 1): Buffer =>
  Buffer.from(Array.from({ length: count }, (_, i) => lineOf(from + i)).join(''));

/** The service in memory: what is submitted is confirmed when the test says so. */
function service(
  settings: {
    readonly window?: number;
    readonly waitLimitMs?: number;
    readonly quota?: number;
    readonly isCounted?: boolean;
  } = {},
) {
  let quota = settings.quota ?? Number.POSITIVE_INFINITY;
  const submitted: RequestStamp[] = [];
  const hearing = new Map<string, (reply: Reply) => void>();
  const noted: number[] = [];
  const looked: unknown[] = [];
  let fault: (() => Error | undefined) | undefined;
  let pulled = 0;
  let collection: Partial<CollectionView> | undefined;
  const window = createLineWindow(settings.window ?? 100_000);
  const waitingRoom = createWaitingRoom({ maxWaiting: 1_000, waitLimitMs: settings.waitLimitMs ?? 60_000 });
  const ports: BatchPorts = {
    instanceId: 'gateway-1',
    publisher: {
      async publish(messages) {
        const error = fault?.();
        if (error !== undefined) throw error;
        submitted.push(...messages.map(({ data }) => data as RequestStamp));
      },
    },
    replies: {
      wait: (requestId) => ({
        listen: (hear) => void hearing.set(requestId, hear),
        close: () => void hearing.delete(requestId),
      }),
    },
    poller: { watch: () => () => {} },
    waitingRoom,
    stampQuota: {
      takeSome: async (_account, wanted) => {
        const amount = Math.min(wanted, quota);
        if (settings.isCounted !== false) quota -= amount;
        return { amount, isCounted: settings.isCounted !== false };
      },
      give: (_account, amount) => {
        quota += amount;
      },
      refuse: (_account, refused) => new HttpError(429, 'daily quota reached', { details: `${refused} refused` }),
    },
    collections: async (key) => {
      looked.push(key);
      return collection as CollectionView | undefined;
    },
    newestBlocks: { note: async (_account, block) => void noted.push(block) },
    window,
    observations: { linesAnswered: () => {}, linesFailed: () => {} },
    waitLimitMs: settings.waitLimitMs ?? 60_000,
    now: Date.now,
  };
  const receiptOf = (command: RequestStamp, blockNumber: number): Receipt => ({
    transactionHash: `0x${'ab'.repeat(32)}`,
    logIndex: 0,
    blockNumber,
    blockHash: `0x${'cd'.repeat(32)}`,
    blockTime: 1_700_000_000,
    chainId: 1,
    account,
    setCid: command.setCidHint,
    objectCid: command.objectCid,
  });
  return {
    ports,
    submitted,
    hearing,
    noted,
    looked,
    pulled: () => pulled,
    quotaLeft: () => quota,
    closeWaitingRoom: waitingRoom.close,
    underWay: () => window.size(),
    failWith: (next: typeof fault) => {
      fault = next;
    },
    knowCollection: (view: Partial<CollectionView>) => {
      collection = view;
    },
    confirm(commands: readonly RequestStamp[], blockNumber = 7): void {
      for (const command of commands)
        hearing.get(command.requestId)?.({
          ...{ requestId: command.requestId, kind: 'confirmed', outcome: 'created', stampId: command.requestId },
          receipt: receiptOf(command, blockNumber),
          ...{ collectionCreated: false, awaitsFile: false },
        });
    },
    repeat(command: RequestStamp, stampId: string): void {
      const receipt = receiptOf(command, 7);
      const confirmed = { kind: 'confirmed', outcome: 'repeated', stampId, receipt } as const;
      const { requestId } = command;
      hearing.get(requestId)?.({ requestId, ...confirmed, collectionCreated: false, awaitsFile: false });
    },
    refuse(command: RequestStamp, code: RefusalCode): void {
      const { requestId } = command;
      hearing.get(requestId)?.({ requestId, kind: 'refused', refusal: { code, message: `because of ${code}` } });
    },
    /** A batch of these chunks, whose pulls are counted. */
    batch(chunks: Iterable<Buffer>, request: Partial<BatchRequest> = {}) {
      async function* body(): AsyncGenerator<Buffer> {
        for (const chunk of chunks) {
          pulled++;
          yield chunk;
        }
      }
      const gone = new AbortController();
      const results = stampBatch(ports, {
        ...{
          account,
          windowSeconds: 3_600,
          maxLines: 100_000,
          body,
          allow: async (wanted: number) => wanted,
          gone: gone.signal,
        },
        trace: { requestId: '00000000-0000-4000-8000-000000000000' },
        ...request,
      });
      return { results, leave: () => gone.abort() };
    },
  };
}

type Result = { readonly line: number; readonly status: string } & Readonly<Record<string, unknown>>;
const parse = (bytes: Buffer): Result[] =>
  bytes
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Result);
async function all(results: AsyncIterable<Buffer>): Promise<Result[]> {
  const found: Result[] = [];
  for await (const bytes of results) found.push(...parse(bytes));
  return found;
}
async function until(what: () => boolean): Promise<void> {
  while (!what()) await turn();
}
/** Long enough for everything to finish that needs no outside input. */
async function untilStill(value: () => unknown): Promise<void> {
  for (let still = 0, last = value(); still < 500; still++, await turn())
    if (value() !== last) {
      last = value();
      still = 0;
    }
}

describe('a batch', () => {
  it('is answered in the order of its lines, whatever the order of the outcomes', async () => {
    const world = service();
    const found = all(world.batch([linesOf(5)]).results);
    await until(() => world.submitted.length === 5);
    for (const command of world.submitted.toReversed()) {
      world.confirm([command]);
      await turn();
    }
    expect((await found).map(({ line, status }) => [line, status])).toEqual([1, 2, 3, 4, 5].map((n) => [n, 'created']));
    expect(world.underWay()).toBe(0);
    expect(world.hearing.size).toBe(0);
  });

  it('writes what is settled in one moment at once, after its newest block was noted (I9)', async () => {
    const world = service();
    const { results } = world.batch([linesOf(100)]);
    const first = results.next();
    await until(() => world.submitted.length === 100);
    world.confirm(world.submitted, 8);
    expect(parse((await first).value as Buffer)).toHaveLength(100);
    expect(world.noted).toEqual([8]);
    expect((await results.next()).done).toBe(true);
  });

  it('counts its new lines for the quota of its account: lines over it fail as retryable (I12)', async () => {
    const world = service({ quota: 4 });
    const lines = [linesOf(2), Buffer.from('nonsense\n'), linesOf(4, 3)];
    const found = all(world.batch([Buffer.concat(lines)]).results);
    await until(() => world.submitted.length === 4);
    const [first, second, ...others] = world.submitted as [RequestStamp, RequestStamp, ...RequestStamp[]];
    world.confirm(others);
    world.refuse(first, 'collection-cid-taken');
    world.repeat(second, 'another stamp');
    const results = await found;
    expect(results.map(({ status, retryable }) => [status, retryable])).toEqual([
      ['failed', false],
      ['repeated', undefined],
      ['failed', false],
      ['created', undefined],
      ['created', undefined],
      ['failed', true],
      ['failed', true],
    ]);
    expect(results.at(-1)).toMatchObject({ error: 'daily quota reached', details: '2 refused' });
    expect(world.quotaLeft()).toBe(2);
  });

  it('that found no place to wait counts for nothing: none of its lines was published (I12)', async () => {
    const world = service({ quota: 4 });
    world.closeWaitingRoom();
    await expect(world.batch([linesOf(3)]).results.next()).rejects.toMatchObject({ status: 503 });
    expect([world.submitted, world.quotaLeft()]).toEqual([[], 4]);
  });

  it('gives nothing back of lines that were let through uncounted (I12)', async () => {
    const world = service({ quota: 4, isCounted: false });
    const found = all(world.batch([linesOf(2)]).results);
    await until(() => world.submitted.length === 2);
    const [first, second] = world.submitted as [RequestStamp, RequestStamp];
    world.refuse(first, 'collection-cid-taken');
    world.repeat(second, 'another stamp');
    await found;
    expect(world.quotaLeft()).toBe(4);
  });

  it('that begins over the quota of its account is refused as a whole', async () => {
    const refused = service({ quota: 0 })
      .batch([linesOf(3)])
      .results.next();
    await expect(refused).rejects.toMatchObject({ status: 429, message: 'daily quota reached' });
  });

  it('reads no further than its window until lines are answered', async () => {
    const world = service({ window: 200 });
    const chunks = Array.from({ length: 100 }, (_, i) => linesOf(10, i * 10 + 1));
    const found = all(world.batch(chunks).results);
    await until(() => world.submitted.length === 100);
    await untilStill(world.pulled);
    expect([world.submitted.length, world.underWay(), world.pulled()]).toEqual([100, 100, 11]);
    for (let done = 0; done < 1_000; ) {
      const more = world.submitted.slice(done);
      world.confirm(more);
      done += more.length;
      await turn();
    }
    expect((await found).map(({ line }) => line)).toEqual(Array.from({ length: 1_000 }, (_, i) => i + 1));
  });

  it('reads no further than its window while its answers are not taken', async () => {
    const world = service({ window: 200 });
    const { results } = world.batch(Array.from({ length: 100 }, () => Buffer.from('{}\n'.repeat(10))));
    const first = await results.next();
    await untilStill(world.pulled);
    const answered = parse(first.value as Buffer).length;
    expect(world.underWay()).toBe(100);
    expect(world.pulled()).toBe(11);
    expect(answered + (await all(results)).length).toBe(1_000);
  });

  it('numbers lines by their place in the body, empty ones counted, and continues after an invalid line', async () => {
    const world = service();
    const text = `${lineOf(1)}\r\n  \n{"data_cid":1,"client_ref":"bad"}\n${lineOf(2, { client_ref: 'é' }).trimEnd()}`;
    const found = all(world.batch([Buffer.from(text)]).results);
    await until(() => world.submitted.length === 2);
    world.confirm(world.submitted);
    expect(await found).toMatchObject([
      { line: 1, status: 'created' },
      { line: 4, status: 'failed', client_ref: 'bad', error: 'data_cid: must be a string', retryable: false },
      { line: 5, status: 'created', client_ref: 'é' },
    ]);
  });

  it('ends where it is too long, with the line to go on from; what was taken is answered', async () => {
    const world = service();
    const found = all(world.batch([linesOf(5)], { maxLines: 3 }).results);
    await until(() => world.submitted.length === 3);
    world.confirm(world.submitted);
    expect((await found).slice(2)).toEqual([
      expect.objectContaining({ line: 3, status: 'created' }),
      { line: 4, status: 'ended', error: 'the batch is too long', details: 'at most 3 lines' },
    ]);
  });

  it('of as many lines as are allowed is not too long', async () => {
    const world = service();
    const found = all(world.batch([linesOf(3)], { maxLines: 3 }).results);
    await until(() => world.submitted.length === 3);
    world.confirm(world.submitted);
    expect((await found).at(-1)).toMatchObject({ line: 3, status: 'created' });
  });

  it('without any line is a 400', async () => {
    await expect(all(service().batch([Buffer.from('\n\r\n')]).results)).rejects.toMatchObject({ status: 400 });
  });

  it('sees a collection that was created while it runs: that one was missing is not remembered (I9)', async () => {
    const world = service();
    const answers: Result[] = [];
    async function* body(): AsyncGenerator<Buffer> {
      yield Buffer.from(lineOf(1, { collection_cid: cidOf(99) }));
      while (answers.length === 0) await turn();
      world.knowCollection({ cid: cidOf(99), name: 'Forest', created: true });
      yield Buffer.from(lineOf(2, { collection_cid: cidOf(99) }));
    }
    const results = world.batch([], { body }).results;
    const reading = (async () => {
      for await (const bytes of results) answers.push(...parse(bytes));
    })();
    await until(() => world.submitted.length === 1);
    world.confirm(world.submitted);
    await reading;
    expect(answers.map(({ status }) => status)).toEqual(['failed', 'created']);
  });

  it('looks each collection up once, by its name or its CID', async () => {
    const world = service();
    world.knowCollection({ cid: cidOf(99), name: 'Forest', created: true });
    const lines = [1, 2, 3, 4].map((n) =>
      lineOf(n, n % 2 === 0 ? { collection_name: 'forest' } : { collection_cid: cidOf(99) }),
    );
    const found = all(world.batch(lines.map((line) => Buffer.from(line))).results);
    await until(() => world.submitted.length === 4);
    expect(world.looked).toEqual([
      { account, cid: cidOf(99) },
      { account, folded: 'forest' },
    ]);
    expect(world.submitted.map(({ setCidHint }) => setCidHint)).toEqual(Array.from({ length: 4 }, () => cidOf(99)));
    world.confirm(world.submitted);
    expect(await found).toHaveLength(4);
  });
});

describe('an unavailable service', () => {
  const away = new BrokerUnavailableError('away');

  it('in mid-batch fails the lines that were not submitted for sure, and those after them go on', async () => {
    const world = service();
    const { promise, resolve } = Promise.withResolvers<void>();
    async function* body(): AsyncGenerator<Buffer> {
      yield linesOf(500);
      await until(() => world.submitted.length === 500);
      world.failWith(() => away);
      yield linesOf(500, 501);
      await promise;
      world.failWith(undefined);
      yield linesOf(1, 1_001);
    }
    const found = all(world.batch([], { body }).results);
    await until(() => world.submitted.length === 500);
    world.confirm(world.submitted);
    await untilStill(() => world.hearing.size);
    resolve();
    await until(() => world.submitted.length === 501);
    world.confirm(world.submitted.slice(500));
    const results = await found;
    expect(results.slice(500, 1_000)).toEqual(
      Array.from({ length: 500 }, (_, i) => ({
        line: 501 + i,
        status: 'failed',
        error: 'a part of the service is unavailable; try again',
        retryable: true,
      })),
    );
    expect(results.filter(({ status }) => status === 'created')).toHaveLength(501);
  });

  it('before anything was answered is the whole request’s: a 503', async () => {
    const world = service();
    world.failWith(() => away);
    await expect(all(world.batch([linesOf(600)]).results)).rejects.toMatchObject({ status: 503 });
    expect(world.underWay()).toBe(0);
    expect(world.hearing.size).toBe(0);
  });

  it('that is only busy is waited for', async () => {
    const world = service();
    let times = 0;
    world.failWith(() => (++times <= 2 ? new PublisherBusyError(1) : undefined));
    const found = all(world.batch([linesOf(3)]).results);
    await until(() => world.submitted.length === 3);
    expect(world.hearing.size).toBe(3);
    world.confirm(world.submitted);
    expect((await found).map(({ status }) => status)).toEqual(['created', 'created', 'created']);
  });

  it.each<[RefusalCode, boolean]>([
    ['too-busy', true],
    ['stamp-failed', false],
    ['collection-cid-taken', false],
  ])('or a line refused as %s may be tried again: %s', async (code, retryable) => {
    const world = service();
    const found = all(world.batch([Buffer.from(`{}\n${lineOf(1)}`)]).results);
    await until(() => world.submitted.length === 1);
    world.refuse(world.submitted[0] as RequestStamp, code);
    expect((await found)[1]).toMatchObject({ status: 'failed', error: `because of ${code}`, retryable });
  });

  it('answers lines as pending with their ids after the wait limit (I6)', async () => {
    const world = service({ waitLimitMs: 30 });
    const found = await all(world.batch([linesOf(3)]).results);
    expect(found).toEqual(
      world.submitted.map(({ requestId }, i) => ({ line: i + 1, status: 'pending', id: requestId })),
    );
    expect(world.hearing.size).toBe(0);
  });

  it('from which its body comes no more ends the answer where it stopped', async () => {
    const world = service();
    const error = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    async function* body(): AsyncGenerator<Buffer> {
      yield linesOf(2);
      throw error;
    }
    const found = all(world.batch([], { body }).results);
    await until(() => world.submitted.length === 2);
    world.confirm(world.submitted);
    expect((await found)[2]).toMatchObject({ line: 3, status: 'ended' });
  });
});

describe('a client that disconnects', () => {
  it('does not stop what was submitted; nothing more is read or waited for', async () => {
    const world = service({ window: 200 });
    const { results, leave } = world.batch(Array.from({ length: 100 }, (_, i) => linesOf(10, i * 10 + 1)));
    const first = results.next();
    await until(() => world.submitted.length === 100);
    leave();
    await expect(first).rejects.toThrow('the client went away');
    await untilStill(world.pulled);
    expect([world.submitted.length, world.underWay(), world.hearing.size, world.pulled()]).toEqual([100, 0, 0, 11]);
  });

  it('gives back the quota of lines that are counted and not published', async () => {
    const world = service({ quota: 10_000 });
    let attempts = 0;
    world.failWith(() => {
      attempts++;
      return new PublisherBusyError(1);
    });
    const { results, leave } = world.batch([linesOf(2_700)]);
    const first = results.next();
    await until(() => attempts >= 4);
    leave();
    await expect(first).rejects.toThrow('the client went away');
    await until(() => world.quotaLeft() === 10_000);
    await untilStill(() => attempts);
    expect([world.quotaLeft(), world.submitted.length, world.hearing.size]).toEqual([10_000, 0, 0]);
  });

  it('while its answer waits to be taken gives its part of the window back at once', async () => {
    const world = service({ window: 200 });
    const { results, leave } = world.batch([Buffer.from('{}\n'.repeat(1_000))]);
    await results.next();
    leave();
    expect(world.underWay()).toBe(0);
    await expect(results.next()).rejects.toThrow('the client went away');
  });
});
