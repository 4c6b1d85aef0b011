import { setLocalBalance } from '@indelible/cli/provisioning';
import type { Hex } from '@indelible/identifiers';
import type { RequestStamp } from '@indelible/messages';
import type { Database } from '@indelible/postgres';
import { createLogger } from '@indelible/service-runtime';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { claimStamps } from '../src/batching/claim-stamps.ts';
import { createLaneFunds } from '../src/batching/lane-funds.ts';
import { noteFunds } from '../src/batching/noted-funds.ts';
import { createIntake } from '../src/requests/intake.ts';
import { collectionRequest, stampRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

let fixture: Fixture;
let ada: Hex;
let eve: Hex;
beforeAll(async () => {
  fixture = await createFixture({ maxWaiting: 10 });
  ada = await fixture.openAccount(0);
  eve = await fixture.openAccount(1);
  await fixture.settle();
});
afterAll(() => fixture.dispose());

const outcomeOf = async (request: RequestStamp) => {
  const { replies } = await fixture.request(request);
  const [reply] = replies.map((one) => one.reply).filter((one) => one.requestId === request.requestId);
  return reply?.kind === 'refused' ? reply.refusal.code : reply?.kind;
};

describe('when more waits than the chain carries', () => {
  it('new stamps are refused until there is room; joins and repeats go on, and what waits is confirmed (I6)', async () => {
    const confirmed = stampRequest(ada);
    await fixture.request(confirmed);
    await fixture.settle();
    const waiting = Array.from({ length: 5 }, () => stampRequest(ada));
    await fixture.request(...waiting);
    const late = stampRequest(ada);
    expect(await outcomeOf(late)).toBe('too-busy');
    const named = stampRequest(ada, { set: { kind: 'named', name: 'Too late' } });
    expect(await outcomeOf(named)).toBe('too-busy');
    expect(await fixture.rows(`select 1 from collections where name = 'Too late'`)).toEqual([]);
    const creating = collectionRequest(ada, 'Too late');
    expect((await fixture.requestCollections(creating)).replies.map(({ reply }) => reply)).toMatchObject([
      { kind: 'refused', refusal: { code: 'too-busy' } },
    ]);
    expect(await outcomeOf(stampRequest(ada, { objectCid: waiting[0]!.objectCid }))).toBe('decided');
    expect(await outcomeOf(stampRequest(ada, { objectCid: confirmed.objectCid }))).toBe('confirmed');
    expect(await fixture.settle()).toMatchObject({ confirmed: 5 });
    expect(await outcomeOf(stampRequest(ada, { objectCid: late.objectCid }))).toBe('decided');
    await fixture.settle();
  });

  it('a request so old that its client may have a status resource is accepted, within a bound of its own (I6)', async () => {
    const requestedAt = new Date(Date.now() - 6_000).toISOString();
    await fixture.request(...Array.from({ length: 5 }, () => stampRequest(ada)));
    expect(await outcomeOf(stampRequest(ada))).toBe('too-busy');
    expect(await outcomeOf(stampRequest(ada, { set: { kind: 'named', name: 'Asked long ago' }, requestedAt }))).toBe(
      'decided',
    );
    const creating = collectionRequest(ada, 'Created later', { requestedAt });
    expect((await fixture.requestCollections(creating)).replies).toEqual([]);
    const late = Array.from({ length: 20 }, () => stampRequest(ada, { requestedAt }));
    const { replies } = await fixture.request(...late);
    const kinds = replies.map(({ reply }) => reply.kind);
    // Forty places are for late requests: a lone account gets half, so that others have theirs (I12).
    expect([
      kinds.filter((kind) => kind === 'decided').length,
      kinds.filter((kind) => kind === 'refused').length,
    ]).toEqual([12, 8]);
    expect(await outcomeOf(stampRequest(eve, { requestedAt }))).toBe('decided');
    expect(await outcomeOf(stampRequest(eve))).toBe('decided');
    expect(await outcomeOf(stampRequest(ada))).toBe('too-busy');
    await fixture.settle();
  });

  it('collections that were given up take no places', async () => {
    await fixture.database.query(
      `insert into collections (account, cid, name, name_folded, is_pinned, registered_at, version, reverted_batches)
       select $1, sha256(n::text::bytea), 'up' || n, 'up' || n, false, now(), 1, 10 from generate_series(1, 30) n`,
      [Buffer.from(ada.slice(2), 'hex')],
    );
    expect(await outcomeOf(stampRequest(ada))).toBe('decided');
    await fixture.settle();
  });
});

it('what waits is counted so rarely that it costs Postgres little, however much it is', async () => {
  let now = 0;
  let looks = 0;
  const database = {
    query: (...query: Parameters<typeof fixture.database.query>) => {
      looks++;
      now += 100;
      return fixture.database.query(...query);
    },
  } as Pick<Database, 'query'>;
  const { shares } = fixture;
  const intake = createIntake({ database, maxWaiting: 10, shares, maxAgeMs: 500, now: () => now });
  for (; now < 10_000; now += 50) await intake.look();
  expect(looks).toBe(10);
});

describe('a lane that runs out of funds', () => {
  const lane = () => fixture.lanes[0]!.address;
  const balances: boolean[] = [];
  const fees = { kind: 'legacy', gasPrice: 1n } as const;
  const note = (address: Hex, low: boolean) =>
    noteFunds(fixture.database, address, { low, freeWei: low ? 0n : 10n ** 24n, gasPriceWei: 1n });
  const funds = () =>
    createLaneFunds({
      rpc: fixture.rpc,
      database: fixture.database,
      lane: lane(),
      reserveWei: 10n ** 16n,
      maxAgeMs: 0,
      onBalance: (_lane, _wei, low) => void balances.push(low),
      logger: createLogger({ service: 'test', level: 'silent' }),
      now: () => 0,
    });
  afterEach(async () => {
    await setLocalBalance(fixture.rpc, lane(), 10n ** 24n);
    await note(lane(), false);
  });

  it('takes nothing new below its reserve, and new requests are refused until it is topped up (I11)', async () => {
    const watch = funds();
    const costs = { leastWei: 1n, mostWei: 1n, fees };
    const { signal } = new AbortController();
    expect(await watch.free(costs, signal)).toBeGreaterThan(0n);
    await setLocalBalance(fixture.rpc, lane(), 10n ** 15n);
    expect(await watch.free(costs, signal)).toBe(0n);
    expect(await outcomeOf(stampRequest(ada))).toBe('out-of-funds');
    const requestedAt = new Date(Date.now() - 6_000).toISOString();
    expect(await outcomeOf(stampRequest(ada, { requestedAt }))).toBe('decided');
    await setLocalBalance(fixture.rpc, lane(), 10n ** 18n);
    expect(await watch.free(costs, signal)).toBeGreaterThan(0n);
    expect(balances).toEqual([false, true, false]);
    expect(await outcomeOf(stampRequest(ada))).toBe('decided');
    expect(await fixture.settle()).toMatchObject({ confirmed: 2 });
  });

  it('that can pay stamps, but not the largest batch, warns and takes what it can pay', async () => {
    const watch = funds();
    await setLocalBalance(fixture.rpc, lane(), 10n ** 17n);
    const { signal } = new AbortController();
    expect(await watch.free({ leastWei: 10n ** 14n, mostWei: 10n ** 18n, fees }, signal)).toBe(10n ** 17n);
    expect(balances.at(-1)).toBe(true);
    expect(await outcomeOf(stampRequest(ada))).toBe('decided');
    expect(await watch.free({ leastWei: 10n ** 18n, mostWei: 10n ** 18n, fees }, signal)).toBe(0n);
    expect(await outcomeOf(stampRequest(ada))).toBe('out-of-funds');
    await note(lane(), false);
    await fixture.settle();
  });

  it('does not stop what others can pay for', async () => {
    await fixture.leaseOf(fixture.lanes[1]!);
    await note(lane(), true);
    expect(await outcomeOf(stampRequest(ada))).toBe('decided');
    await note(fixture.lanes[1]!.address, true);
    expect(await outcomeOf(stampRequest(ada))).toBe('out-of-funds');
    await note(fixture.lanes[1]!.address, false);
    await fixture.settle();
  });
});

describe('fairness among accounts', () => {
  it('one that floods is refused while another is taken, and confirmed with the next batch (I12)', async () => {
    const flood = Array.from({ length: 30 }, () => stampRequest(ada));
    const { counts } = await fixture.request(...flood);
    expect(counts).toMatchObject({ new: 5, refused: 25 });
    expect(await outcomeOf(stampRequest(ada))).toBe('too-busy');
    expect(await outcomeOf(stampRequest(ada, { set: { kind: 'named', name: 'Flooded' } }))).toBe('too-busy');
    expect((await fixture.requestCollections(collectionRequest(ada, 'Flooded'))).counts).toMatchObject({ refused: 1 });
    const late = stampRequest(eve, { set: { kind: 'named', name: 'Eve' } });
    expect(await outcomeOf(late)).toBe('decided');
    expect((await fixture.requestCollections(collectionRequest(eve, 'Of Eve'))).counts).toMatchObject({
      registered: 1,
    });
    await fixture.broadcast(await fixture.sign());
    await fixture.anvil.mine(1);
    await fixture.readChain();
    expect(await fixture.rows('select status from stamps where id = $1', [late.requestId])).toEqual([
      { status: 'confirmed' },
    ]);
    await fixture.settle();
    expect(await fixture.rows(`select 1 from collections where name = 'Flooded'`)).toEqual([]);
  });

  it('collections of one account that floods leave places for another’s, too (I12)', async () => {
    const flood = Array.from({ length: 12 }, (_, i) => collectionRequest(ada, `Flood ${i}`));
    expect((await fixture.requestCollections(...flood)).counts).toMatchObject({ registered: 5, refused: 7 });
    expect(await outcomeOf(stampRequest(ada))).toBe('too-busy');
    expect(await outcomeOf(stampRequest(eve))).toBe('decided');
    await fixture.settle();
  });

  it('one that floods does not make another wait longer than one more batch', async () => {
    const patient = await createFixture();
    try {
      const [flooding, other] = [await patient.openAccount(0), await patient.openAccount(1)];
      await patient.settle();
      await patient.request(...Array.from({ length: 300 }, () => stampRequest(flooding)));
      const late = stampRequest(other);
      await patient.request(late);
      const taken = await patient.database.transaction((client) => claimStamps(client, fixture.chainId, 100));
      expect(taken).toHaveLength(100);
      expect(taken.map(({ stampId }) => stampId)).toContain(late.requestId);
      expect(taken.filter(({ account }) => account === flooding)).toHaveLength(99);
    } finally {
      await patient.dispose();
    }
  });

  it('takes of each account the oldest first, and the batch is as full as what waits allows', async () => {
    await fixture.request(...[ada, eve, ada, eve, ada].map((account) => stampRequest(account)));
    const order = await fixture.rows(`select id, account from stamps where status = 'requested' order by seq`);
    const taken = await fixture.database.transaction((client) => claimStamps(client, fixture.chainId, 4));
    expect(taken.map(({ stampId }) => stampId)).toEqual(order.slice(0, 4).map(({ id }) => id));
    const all = await fixture.database.transaction((client) => claimStamps(client, fixture.chainId, 100));
    expect(all).toHaveLength(5);
    expect(await fixture.settle()).toMatchObject({ confirmed: 5 });
  });
});
