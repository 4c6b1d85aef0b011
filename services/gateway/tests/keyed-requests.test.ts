import { cidOfContent, zeroCid } from '@indelible/identifiers';
import type { Receipt } from '@indelible/messages';
import { createDatabase, type Database } from '@indelible/postgres';
import { eventually, type TestDatabase } from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { schema } from '../src/schema.ts';
import { createKeyStore, type KeyStore } from '../src/use-cases/idempotency/key-store.ts';
import {
  createKeyedRequests,
  type KeyedOutcome,
  type KeyedRequests,
} from '../src/use-cases/idempotency/keyed-requests.ts';
import type { StampAnswer } from '../src/use-cases/stamping/stamp.ts';
import type { KeyedAttempt } from '../src/use-cases/stamping/stamp-request.ts';
import { createWaitingRoom } from '../src/use-cases/stamping/waiting-room.ts';
import { gatewayDatabase } from './gateway-database.ts';
import { logger } from './gateway-harness.ts';

let test: TestDatabase;
let database: Database;
let store: KeyStore;
/** Two replicas of the gateway. */
let here: KeyedRequests;
let there: KeyedRequests;
/** The current form of kept responses, where it differs. */
let current: StampAnswer | undefined;
const replica = (waitLimitMs = 20_000): KeyedRequests =>
  createKeyedRequests({
    store,
    currentAnswer: async (_account, answer) => current ?? answer,
    waitingRoom: createWaitingRoom({ maxWaiting: 200, waitLimitMs }),
    logger,
  });

beforeAll(async () => {
  test = await gatewayDatabase();
  database = createDatabase({ url: test.url, schema, applicationName: 'keyed requests', logger });
  store = createKeyStore(database);
}, 60_000);
afterAll(async () => {
  await database.close();
  await test.drop();
});

let keys = 0;
let key = '';
beforeEach(() => {
  key = `key ${keys++}`;
  current = undefined;
  here = replica();
  there = replica();
});

const account = `0x${'aa'.repeat(20)}` as const;
const request = (text = 'request') => ({
  account,
  key,
  fingerprint: Buffer.from(cidOfContent(text).slice(2), 'hex'),
});
const receipt: Receipt = {
  ...{
    account,
    setCid: zeroCid,
    objectCid: cidOfContent('x'),
    chainId: 31337,
    blockNumber: 9,
    blockTime: 1,
    logIndex: 0,
  },
  ...{ blockHash: cidOfContent('block'), transactionHash: cidOfContent('transaction') },
};
const created = ({ commandId }: KeyedAttempt): StampAnswer => ({
  kind: 'created',
  stampId: commandId,
  receipt,
  file: undefined,
});
const never = async (): Promise<StampAnswer> => {
  throw new Error('the work was done again');
};
/** Sets the age of the row. */
const age = (column: 'lease_until' | 'expires_at') =>
  database.query(`update idempotency_keys set ${column} = now() - interval '1 second' where key = $1`, [key]);

describe('a request under an idempotency key', () => {
  it('is done once for concurrent requests on two replicas: each gets the first answer (I2)', async () => {
    const attempts: KeyedAttempt[] = [];
    const release = Promise.withResolvers<void>();
    const work = async (attempt: KeyedAttempt): Promise<StampAnswer> => {
      attempts.push(attempt);
      await release.promise;
      return created(attempt);
    };
    const all = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? here : there).once(request(), work));
    await eventually(async () => expect(attempts).toHaveLength(1));
    release.resolve();
    const outcomes = await Promise.all(all);
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
    expect(attempts).toHaveLength(1);
  });

  it('is answered by what was kept, on another replica too; another request is a conflict, while and after', async () => {
    let meanwhile: KeyedOutcome | undefined;
    const first = await here.once(request(), async (attempt) => {
      meanwhile = await there.once(request('another'), never);
      return created(attempt);
    });
    expect(await there.once(request(), never)).toEqual(first);
    expect(meanwhile).toEqual({ kind: 'conflict' });
    expect(await here.once(request('another'), never)).toEqual({ kind: 'conflict' });
    expect(
      await here.once({ ...request('another'), account: `0x${'bb'.repeat(20)}` }, async (a) => created(a)),
    ).toMatchObject({ kind: 'answered', answer: { kind: 'created' } });
  });

  it('that ended pending frees the key: the same request resumes the same command, another may take it', async () => {
    const attempts: KeyedAttempt[] = [];
    const pending = async (attempt: KeyedAttempt): Promise<StampAnswer> => {
      attempts.push(attempt);
      return { kind: 'pending', stampId: attempt.commandId };
    };
    await here.once(request(), pending);
    await there.once(request(), pending);
    await here.once(request('another'), pending);
    await there.once(request(), pending);
    const [first, second, other, third] = attempts;
    expect(attempts.map(({ resumed }) => resumed)).toEqual([false, true, true, true]);
    expect([second?.commandId, third?.commandId]).toEqual([first?.commandId, first?.commandId]);
    expect(other?.commandId).not.toBe(first?.commandId);
  });

  it('that was refused forgets the key: the same request is a new command', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 2; i++)
      await here.once(request(), async ({ commandId, resumed }) => {
        expect(resumed).toBe(false);
        ids.push(commandId);
        return { kind: 'refused', refusal: { code: 'invalid-text', message: 'm' } };
      });
    expect(new Set(ids).size).toBe(2);
  });

  it('that threw frees the key for its waiters', async () => {
    const waiting = Promise.withResolvers<void>();
    const took = Promise.withResolvers<void>();
    const failing = here.once(request(), async () => {
      took.resolve();
      await waiting.promise;
      throw new Error('the broker is away');
    });
    await took.promise;
    const next = [here, there].map((one) => one.once(request(), async (attempt) => created(attempt)));
    waiting.resolve();
    await expect(failing).rejects.toThrow('the broker is away');
    const [first, second] = await Promise.all(next);
    expect(first).toMatchObject({ kind: 'answered', answer: { kind: 'created' } });
    expect(second).toEqual(first);
  });

  it('whose gateway died is taken over when its lease is over, as the same command (I5)', async () => {
    const generation = '00000000-0000-4000-8000-000000000001';
    const holder = '00000000-0000-4000-8000-000000000002';
    await store.take(request(), { fingerprint: request().fingerprint, holder, generation });
    const waiting = here.once(request(), async (attempt) => {
      expect(attempt.resumed).toBe(true);
      return created(attempt);
    });
    await age('lease_until');
    const answer = await waiting;
    // The holder believed dead returns: its outcome changes nothing.
    await store.keep(request(), holder, { kind: 'repeated', stampId: holder, receipt });
    expect(await there.once(request(), never)).toEqual(answer);
  });

  it('is not taken over while its gateway lives and renews the lease', async () => {
    const release = Promise.withResolvers<void>();
    const took = Promise.withResolvers<void>();
    await here.start();
    const first = here.once(request(), async (attempt) => {
      took.resolve();
      await release.promise;
      return created(attempt);
    });
    await took.promise;
    await database.query(`update idempotency_keys set lease_until = now() + interval '8 seconds' where key = $1`, [
      key,
    ]);
    await eventually(
      async () => {
        const { rows } = await database.query(
          `select from idempotency_keys where key = $1 and lease_until > now() + interval '8 seconds'`,
          [key],
        );
        expect(rows).toHaveLength(1);
      },
      { timeoutMs: 8_000 },
    );
    release.resolve();
    await first;
    await here.stop();
  }, 15_000);

  it('still under way at the wait limit is busy for those who wait, and nothing is done twice', async () => {
    const release = Promise.withResolvers<void>();
    const took = Promise.withResolvers<void>();
    const first = here.once(request(), async (attempt) => {
      took.resolve();
      await release.promise;
      return created(attempt);
    });
    await took.promise;
    expect(await replica(200).once(request(), never)).toEqual({ kind: 'busy' });
    release.resolve();
    await first;
  });

  it('whose client left before its turn to wait is busy, and no rejection is left unhandled (I11)', async () => {
    const release = Promise.withResolvers<void>();
    const took = Promise.withResolvers<void>();
    const first = here.once(request(), async (attempt) => {
      took.resolve();
      await release.promise;
      return created(attempt);
    });
    await took.promise;
    // An unhandled rejection fails this test, and ends a gateway.
    expect(await replica(5_000).once(request(), never, AbortSignal.abort())).toEqual({ kind: 'busy' });
    release.resolve();
    await first;
  });

  it('is a new request after 24 hours, and its row is removed', async () => {
    const first = await here.once(request(), async (attempt) => created(attempt));
    await age('expires_at');
    const second = await here.once(request(), async (attempt) => {
      expect(attempt.resumed).toBe(false);
      return created(attempt);
    });
    expect(second).not.toEqual(first);
    await age('expires_at');
    expect(await store.prune(10_000)).toBe(1);
    const { rows } = await database.query('select from idempotency_keys where key = $1', [key]);
    expect(rows).toEqual([]);
  });

  it('is answered with the receipt of now after a reorg, and as pending while there is none (I4)', async () => {
    const answer = (await here.once(request(), async (attempt) => created(attempt))) as { answer: { stampId: string } };
    const { stampId } = answer.answer;
    current = { kind: 'pending', stampId };
    expect(await there.once(request(), never)).toEqual({ kind: 'answered', answer: current });
    current = { kind: 'created', stampId, receipt: { ...receipt, blockNumber: 11 }, file: undefined };
    expect(await there.once(request(), never)).toEqual({ kind: 'answered', answer: current });
  });
});
