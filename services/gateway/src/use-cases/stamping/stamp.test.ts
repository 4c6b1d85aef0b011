import { cidOfContent, zeroCid } from '@indelible/identifiers';
import {
  BrokerUnavailableError,
  MessageInvalidError,
  type OutgoingMessage,
  PublisherBusyError,
  RecordsRefusedError,
} from '@indelible/kafka';
import type { Receipt, Reply, RequestStamp, StampFacts } from '@indelible/messages';
import { UnavailableError } from '@indelible/service-runtime';
import { describe, expect, it } from '@jest/globals';
import type { SharedOutcome } from '../../decisions/shared-outcome.ts';
import { type StampView, viewOf } from '../../decisions/stamp-view.ts';
import { HttpError } from '../../errors/http-error.ts';
import { ReceivedContent } from './content.ts';
import { type StampPorts, stamp } from './stamp.ts';
import type { StampRequest } from './stamp-request.ts';
import { createWaitingRoom } from './waiting-room.ts';

const cid = cidOfContent('content');
const account = `0x${'aa'.repeat(20)}` as const;
const receipt = { account, setCid: zeroCid, objectCid: cid, blockNumber: 9, blockTime: 1_000 } as Receipt;

/** Ports that record their calls; each test replaces the one it tests. */
function given(replace: Partial<StampPorts> = {}, replies: readonly Partial<Reply>[] = []) {
  const noted: string[] = [];
  const published: RequestStamp[] = [];
  let counted = 0;
  const ports: StampPorts = {
    instanceId: 'gateway-1',
    locks: {
      acquire: async () => 'acquired',
      follow: async () => ({ outcome: async () => ({ kind: 'vanished' }), close: () => {} }),
      release: async (_identity, _holder, outcome) => void noted.push(`released ${outcome}`),
    },
    publisher: {
      async publish(messages: readonly OutgoingMessage[]) {
        published.push(...messages.map(({ data }) => data as RequestStamp));
      },
    },
    replies: {
      wait(requestId) {
        const left = replies.map((reply) => ({ requestId, stampId: requestId, ...reply }) as Reply);
        return {
          listen: (hear) => left.splice(0).forEach(hear),
          close: () => void noted.push('waiter closed'),
        };
      },
    },
    poller: { watch: () => () => {} },
    waitingRoom: createWaitingRoom({ maxWaiting: 4, waitLimitMs: 60_000 }),
    stampQuota: {
      take: async (_account, amount) => {
        counted += amount;
        return { amount, isCounted: true };
      },
      give: (_account, amount) => {
        counted -= amount;
      },
    },
    newestBlocks: { note: async (_account, number) => void noted.push(`newest block ${number}`) },
    collections: async () => undefined,
    findStamp: async () => undefined,
    factsOf: async () => undefined,
    now: () => 2_000_000,
    ...replace,
  };
  return { ports, noted, published, counted: () => counted };
}

function request(more: Partial<StampRequest> = {}, keep?: ReceivedContent['keep']) {
  const discarded: string[] = [];
  const received = new ReceivedContent(cid, {
    keep: keep ?? (async (fileName) => ({ stagedId: 's', objectCid: cid, size: 7, crc32c: 0, fileName })),
    remove: async () => void discarded.push('discarded'),
  });
  const stampRequest: StampRequest = {
    account,
    objectCid: cid,
    target: { set: { kind: 'none' }, setCid: zeroCid, key: 'none', certain: true },
    idempotency: { windowSeconds: 3600 },
    content: { received, fileName: 'a.txt' },
    respondAsync: false,
    trace: { requestId: 'trace' },
    ...more,
  };
  return { stampRequest, discarded };
}

const confirmed: Partial<Reply> = {
  kind: 'confirmed',
  outcome: 'created',
  receipt,
  collectionCreated: false,
  awaitsFile: false,
};
const followed = (outcome: SharedOutcome): StampPorts['locks'] => ({
  acquire: async () => 'held',
  follow: async () => ({
    outcome: async () => ({ kind: 'outcome', outcome: JSON.stringify(outcome) }),
    close: () => {},
  }),
  release: async () => {},
});

describe('stamping', () => {
  it('answers with the confirmed stamp, notes its block for readers (I9), and shares the outcome with its followers', async () => {
    const { ports, noted, published } = given({}, [confirmed]);
    const { stampRequest, discarded } = request();
    expect(await stamp(ports, stampRequest)).toEqual({
      kind: 'created',
      stampId: expect.any(String),
      receipt,
      file: undefined,
    });
    expect(noted).toContain('newest block 9');
    const [command] = published as [RequestStamp];
    const shared = {
      kind: 'answered',
      stampId: command.requestId,
      receipt,
      target: 'none',
      fresh: true,
      hasFile: false,
    };
    expect(noted.at(-1)).toBe(`released ${JSON.stringify(shared)}`);
    expect(discarded).toEqual([]);
  });

  it.each([
    ['a busy publisher', new PublisherBusyError(1), ['discarded']],
    ['a message that does not fit', new MessageInvalidError('m'), ['discarded']],
    ['a broker that refused a part of what it got', new RecordsRefusedError('m'), []],
    ['a broker that went away, for the message may be written', new BrokerUnavailableError('m'), []],
  ])('keeps staged content only when a message may name it (I7): %s', async (_what, error, left) => {
    const { ports, noted } = given({ publisher: { publish: () => Promise.reject(error) } });
    const { stampRequest, discarded } = request();
    await expect(stamp(ports, stampRequest)).rejects.toBe(error);
    expect(discarded).toEqual(left);
    expect(noted).toEqual(['waiter closed', 'released {"kind":"none"}']);
  });

  it('publishes nothing when its content cannot be made durable', async () => {
    const { ports, published } = given();
    const { stampRequest, discarded } = request({}, () => Promise.reject(new Error('disk')));
    await expect(stamp(ports, stampRequest)).rejects.toThrow('disk');
    expect(published).toEqual([]);
    expect(discarded).toEqual(['discarded']);
  });

  it('answers a follower by the leader without a command, and drops its content when a file is stored', async () => {
    const { ports, published } = given({
      locks: followed({ kind: 'answered', stampId: 'leading', receipt, target: 'none', fresh: true, hasFile: true }),
    });
    const { stampRequest, discarded } = request();
    expect(await stamp(ports, stampRequest)).toEqual({ kind: 'repeated', stampId: 'leading', receipt });
    expect(published).toEqual([]);
    expect(discarded).toEqual(['discarded']);
  });

  it.each<[string, StampPorts['locks']]>([
    ['the leader has none', followed({ kind: 'none' })],
    ['the leader vanished', { ...followed({ kind: 'none' }), follow: given().ports.locks.follow }],
    ['Redis is away', { ...followed({ kind: 'none' }), acquire: async () => 'unavailable' }],
  ])('publishes a command of its own when %s: Postgres decides (I2)', async (_what, locks) => {
    const { ports, published } = given({ locks }, [{ ...confirmed, outcome: 'repeated', stampId: 'other' } as Reply]);
    expect(await stamp(ports, request().stampRequest)).toEqual({ kind: 'repeated', stampId: 'other', receipt });
    expect(published).toHaveLength(1);
  });

  it('takes no lock when it is not idempotent, or does not wait', async () => {
    const locks = { ...given().ports.locks, acquire: () => Promise.reject(new Error('no lock is needed')) };
    const first = given({ locks }, [confirmed]);
    expect(await stamp(first.ports, request({ idempotency: null }).stampRequest)).toMatchObject({ kind: 'created' });
    const second = given({ locks }, [{ kind: 'decided', decision: 'new' } as Reply]);
    expect(await stamp(second.ports, request({ respondAsync: true }).stampRequest)).toMatchObject({ kind: 'accepted' });
  });

  it('is pending with its id when the wait ends, and for those on their way at a stop (I6)', async () => {
    const waitingRoom = createWaitingRoom({ maxWaiting: 1, waitLimitMs: 60_000 });
    const { ports, published } = given({ waitingRoom });
    const answer = stamp(ports, request().stampRequest);
    await new Promise(setImmediate);
    waitingRoom.close();
    const [command] = published as [RequestStamp];
    expect(await answer).toEqual({ kind: 'pending', stampId: command.requestId });
    await expect(stamp(ports, request().stampRequest)).rejects.toMatchObject({ retryable: true });
  });

  it.each<[string, StampPorts['findStamp'], string]>([
    ['is the status of that', async () => ({ status: 'submitted' }) as StampView, 'submitted'],
    ['is accepted when stamping is unavailable', () => Promise.reject(new UnavailableError('away')), 'accepted'],
    ['is accepted when stamping is slow', () => new Promise(() => {}), 'accepted'],
  ])('the status of a 202 that joins a stamp %s', async (_what, findStamp, status) => {
    const joined = [{ kind: 'decided', decision: 'joined', stampId: 'other' } as Reply];
    const { ports } = given({ findStamp }, joined);
    const answer = await stamp(ports, request({ respondAsync: true }).stampRequest);
    expect(answer).toEqual({ kind: 'accepted', stampId: 'other', status });
  });

  describe('resumed under a key', () => {
    const attempt = { commandId: 'again', resumed: true, signal: AbortSignal.timeout(60_000) };
    const locks = { ...given().ports.locks, acquire: () => Promise.reject(new Error('no lock is needed')) };
    const facts: StampFacts = {
      ...{ id: 'again', account, objectCid: cid, setCid: zeroCid, requestedAt: '2026-01-02T03:04:05.678Z' },
      ...{ status: 'confirmed', receipt, refusal: null, hasContent: true, wasConfirmed: true },
    };

    it('publishes nothing when stamping knows its command, drops the content it brought (I5, I7), and waits for its file', async () => {
      const stored = { ...viewOf(facts, undefined), fileName: 'f', filePath: 'p' };
      const poller: StampPorts['poller'] = {
        watch(_id, see) {
          setImmediate(() => see(stored));
          return () => {};
        },
      };
      const { ports, published, counted } = given({ locks, factsOf: async () => facts, poller });
      const { stampRequest, discarded } = request({ attempt });
      const file = { fileName: 'f', filePath: 'p' };
      expect(await stamp(ports, stampRequest)).toEqual({ kind: 'created', stampId: 'again', receipt, file });
      expect([published, discarded, counted()]).toEqual([[], ['discarded'], 0]);
    });

    it('takes no quota and keeps no content for a stamp that is confirmed, while storage is unavailable (I7, I12)', async () => {
      const findStamp = () => Promise.reject(new UnavailableError('storage is away'));
      const { ports, published, counted } = given({ locks, factsOf: async () => facts, findStamp });
      const over = new AbortController();
      const { stampRequest, discarded } = request({ attempt: { ...attempt, signal: over.signal } });
      const answer = stamp(ports, stampRequest);
      await new Promise(setImmediate);
      over.abort();
      expect(await answer).toEqual({ kind: 'pending', stampId: 'again' });
      expect([published, discarded, counted()]).toEqual([[], ['discarded'], 0]);
    });

    it.each<[string, StampPorts['factsOf']]>([
      ['nothing is known of it: it may never have been published', async () => undefined],
      ['the id is of another account', async () => ({ ...facts, account: `0x${'ee'.repeat(20)}` })],
      ['stamping is unavailable', () => Promise.reject(new UnavailableError('away'))],
      ['stamping is slow', () => new Promise(() => {})],
    ])('publishes the same command again, which takes effect once, when %s (I5)', async (_what, factsOf) => {
      const { ports, published } = given({ locks, factsOf }, [confirmed]);
      expect(await stamp(ports, request({ attempt }).stampRequest)).toMatchObject({
        kind: 'created',
        stampId: 'again',
      });
      expect(published.map(({ requestId }) => requestId)).toEqual(['again']);
    });
  });

  describe('under a daily quota', () => {
    const leader = {
      kind: 'answered',
      stampId: 'leading',
      receipt,
      target: 'none',
      fresh: true,
      hasFile: true,
    } as const;
    const refused = { kind: 'refused', refusal: { code: 'invalid-text', message: 'm' } } as Partial<Reply>;
    const failing = (error: Error): Partial<StampPorts> => ({ publisher: { publish: () => Promise.reject(error) } });
    it.each<[string, 0 | 1, Partial<StampPorts>, Partial<Reply>[], Partial<StampRequest>?]>([
      ['a new stamp', 1, {}, [confirmed]],
      ['a repeat', 0, {}, [{ ...confirmed, outcome: 'repeated', stampId: 'other' } as Reply]],
      ['a follower', 0, { locks: followed(leader) }, []],
      ['a 202 of a new one', 1, {}, [{ kind: 'decided', decision: 'new' } as Reply], { respondAsync: true }],
      [
        'a 202 of one that is joined',
        0,
        {},
        [{ kind: 'decided', decision: 'joined', stampId: 'other' } as Reply],
        { respondAsync: true },
      ],
      ['a refusal', 0, {}, [refused]],
      ['a busy publisher', 0, failing(new PublisherBusyError(1)), []],
      ['a broker that went away, for the message may be written', 1, failing(new BrokerUnavailableError('m')), []],
    ])('%s counts %i for its account (I12)', async (_what, count, replace, replies, more = {}) => {
      const { ports, counted } = given(replace, replies);
      await stamp(ports, request(more).stampRequest).catch(() => {});
      expect(counted()).toBe(count);
    });
    it('is not given back what was let through uncounted (I12)', async () => {
      const givenBack: number[] = [];
      const stampQuota: StampPorts['stampQuota'] = {
        take: async (_account, amount) => ({ amount, isCounted: false }),
        give: (_account, amount) => void givenBack.push(amount),
      };
      const { ports } = given({ stampQuota }, [refused]);
      await stamp(ports, request().stampRequest);
      expect(givenBack).toEqual([]);
    });
    it('that is used up publishes nothing and keeps no content (I7)', async () => {
      const over = new HttpError(429, 'daily quota reached');
      const { ports, published } = given({ stampQuota: { take: () => Promise.reject(over), give: () => {} } });
      const { stampRequest, discarded } = request();
      await expect(stamp(ports, stampRequest)).rejects.toBe(over);
      expect([published, discarded]).toEqual([[], ['discarded']]);
    });
  });

  it('refuses one more than may wait, before anything is published', async () => {
    const waitingRoom = createWaitingRoom({ maxWaiting: 1, waitLimitMs: 60_000 });
    const ticket = waitingRoom.enter('another');
    const { ports, published } = given({ waitingRoom });
    const { stampRequest, discarded } = request();
    await expect(stamp(ports, stampRequest)).rejects.toMatchObject({ retryable: true });
    expect(published).toEqual([]);
    expect(discarded).toEqual(['discarded']);
    ticket.leave();
  });
});
