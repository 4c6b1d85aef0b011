import { setLocalBalance } from '@indelible/cli/provisioning';
import { getBalance, likelyPriceOf } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import { RequestStamp } from '@indelible/messages';
import { createLogger } from '@indelible/service-runtime';
import { eventually } from '@indelible/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { forgetSpending } from '../src/batching/account-spending.ts';
import { freeCollections, putBackToWaiting } from '../src/batching/batch-queries.ts';
import { createFundsShares } from '../src/batching/funds-shares.ts';
import { noteFunds } from '../src/batching/noted-funds.ts';
import { signNextBatch } from '../src/batching/sign-batch.ts';
import { handleStampRequests } from '../src/requests/handle-stamp-requests.ts';
import { createIntake } from '../src/requests/intake.ts';
import { collectionRequest, incoming, stampRequest } from './support/messages.ts';
import { type RunningLane, runLane } from './support/running-lane.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

const gwei = 10n ** 9n;
const ether = 10n ** 18n;
const fees = { kind: 'eip1559', maxFeePerGas: 3n * gwei, maxPriorityFeePerGas: gwei } as const;
const price = likelyPriceOf(fees);
let fixture: Fixture;
let ada: Hex;
beforeEach(async () => {
  fixture = await createFixture();
  ada = await fixture.openAccount(0);
  await fixture.settle();
});
afterEach(() => fixture.dispose());

/** Of a second account, whose grant is on the chain. */
async function openEve(): Promise<Hex> {
  const eve = await fixture.openAccount(1);
  await fixture.settle();
  return eve;
}

const stampsOf = (account: Hex, count: number): RequestStamp[] =>
  Array.from({ length: count }, () => stampRequest(account));

async function replyTo(request: RequestStamp) {
  const { replies } = await fixture.request(request);
  return replies.map(({ reply }) => reply).find(({ requestId }) => requestId === request.requestId);
}
const outOfShare = {
  kind: 'refused',
  refusal: { code: 'out-of-funds', message: expect.stringMatching(/used its share/) },
};

const note = (lane: { address: Hex }, freeWei: bigint, gasPriceWei = price) =>
  noteFunds(fixture.database, lane.address, { low: false, freeWei, gasPriceWei });

/** A batch of what waits, signed at the fees of these tests; whose stamps it has. */
async function sign(lane = fixture.lanes[0]!): Promise<ReadonlySet<string>> {
  const signing = { ...fixture.signing, leftOut: await fixture.shares.over() };
  const batch = await signNextBatch(signing, await fixture.holdLane(lane), fees);
  const rows = await fixture.rows(
    `select '0x' || encode(account, 'hex') as account from stamps
     where id = any((select stamp_ids from batches where id = $1)::uuid[])`,
    [batch?.batchId],
  );
  return new Set(rows.map(({ account }) => account as string));
}

/** Recorded spending of an account, on each lane. */
async function spentBy(account: Hex): Promise<bigint[]> {
  const rows = await fixture.rows('select wei::text from account_spending where account = $1 order by lane', [
    Buffer.from(account.slice(2), 'hex'),
  ]);
  return rows.map(({ wei }) => BigInt(wei as string));
}
const sum = (values: readonly bigint[]): bigint => values.reduce((all, one) => all + one, 0n);

const waitingOf = async (account: Hex): Promise<number> =>
  (await fixture.rows('select 1 from waiting_stamps where account = $1', [Buffer.from(account.slice(2), 'hex')]))
    .length;
const confirmed = (requests: readonly RequestStamp[]) =>
  eventually(
    async () => {
      const rows = await fixture.rows(`select 1 from stamps where id = any($1::uuid[]) and status = 'confirmed'`, [
        requests.map(({ requestId }) => requestId),
      ]);
      expect(rows).toHaveLength(requests.length);
    },
    { timeoutMs: 60_000 },
  );

describe('an account that floods while funds are low', () => {
  let lane: RunningLane | undefined;
  afterEach(async () => {
    await lane?.stop();
    lane = undefined;
  });

  it('is refused, others are stamped for, and what was accepted of it is stamped after a top-up (I6, I12)', async () => {
    const eve = await openEve();
    const { address } = fixture.lanes[0]!;
    const owned = ether / 50n;
    await setLocalBalance(fixture.rpc, address, owned);
    lane = await runLane(fixture, { maxItems: 50, maxInFlight: 1, reserveWei: ether / 1_000n });
    lane.setBaseFee(gwei);
    // All of it costs nearly as much as the lane owns.
    const flood = stampsOf(ada, 3_000);
    expect((await fixture.request(...flood)).counts).toMatchObject({ new: flood.length });
    lane.wake('waiting');
    await eventually(async () => expect(await fixture.shares.over()).toEqual([ada]), { timeoutMs: 60_000 });

    expect(await replyTo(stampRequest(ada))).toMatchObject(outOfShare);
    const first = await fixture.rows(`select 1 from stamps where id = $1 and status = 'confirmed'`, [
      flood[0]?.requestId,
    ]);
    expect(first).toHaveLength(1);
    expect(await replyTo(stampRequest(ada, { objectCid: flood[0]!.objectCid }))).toMatchObject({ kind: 'confirmed' });
    const others = stampsOf(eve, 20);
    expect((await fixture.request(...others)).counts).toMatchObject({ new: 20, refused: 0 });
    await confirmed(others);
    expect(await waitingOf(ada)).toBeGreaterThan(0);
    expect(await getBalance(fixture.rpc, address)).toBeGreaterThan(owned / 3n);
    expect(await fixture.rows('select 1 from lanes where low_funds')).toEqual([]);

    await setLocalBalance(fixture.rpc, address, 10n ** 24n);
    await confirmed(flood);
    expect(await fixture.shares.over()).toEqual([]);
    const later = stampRequest(ada);
    expect(await replyTo(later)).toMatchObject({ kind: 'decided' });
    await confirmed([later]);
  }, 180_000);

  it('and is the only one spends all there is, as before', async () => {
    await setLocalBalance(fixture.rpc, fixture.lanes[0]!.address, ether / 50n);
    lane = await runLane(fixture, { maxItems: 50, maxInFlight: 1, reserveWei: ether / 1_000n });
    lane.setBaseFee(gwei);
    const flood = stampsOf(ada, 2_500);
    await fixture.request(...flood);
    lane.wake('waiting');
    await confirmed(flood);
    expect(await fixture.shares.over()).toEqual([]);
  }, 180_000);
});

describe('the share of an account', () => {
  it('counts what it spent on every lane, of any replica, and what all of them have free (I12)', async () => {
    const eve = await openEve();
    const [first, second] = fixture.lanes as [(typeof fixture.lanes)[0], (typeof fixture.lanes)[0]];
    for (const lane of [first, second]) {
      await fixture.request(...stampsOf(ada, 30));
      expect(await sign(lane)).toEqual(new Set([ada]));
    }
    const spent = await spentBy(ada);
    expect(spent).toHaveLength(2);
    await note(first, sum(spent) / 2n);
    await note(second, sum(spent) / 2n + 1n);
    expect(await fixture.shares.over()).toEqual([]);
    await note(second, sum(spent) / 2n);
    expect(await fixture.shares.over()).toEqual([ada]);
    expect(await replyTo(stampRequest(ada))).toMatchObject(outOfShare);
    expect(await replyTo(stampRequest(eve))).toMatchObject({ kind: 'decided' });
    // A lane that takes nothing new, or that nobody holds, adds nothing to share.
    await note(second, ether);
    expect(await fixture.shares.over()).toEqual([]);
    const address = Buffer.from(second.address.slice(2), 'hex');
    await fixture.database.query('update lanes set draining = true where lane = $1', [address]);
    expect(await fixture.shares.over()).toEqual([ada]);
    await fixture.database.query(`update lanes set draining = false, lease_until = 'epoch' where lane = $1`, [address]);
    expect(await fixture.shares.over()).toEqual([ada]);
  });

  it('is what it has left to spend: what was accepted waits, with collections and what reverted, and others are taken', async () => {
    const eve = await openEve();
    const [lane] = fixture.lanes as [(typeof fixture.lanes)[0]];
    await fixture.request(...stampsOf(ada, 30));
    await sign();
    const reverted = stampRequest(ada);
    await fixture.request(reverted, ...stampsOf(ada, 30));
    await fixture.requestCollections(collectionRequest(ada, 'Hers'));
    await fixture.database.query('update waiting_stamps set reverted_batches = 1 where stamp_id = $1', [
      reverted.requestId,
    ]);
    await note(lane, sum(await spentBy(ada)));
    expect((await fixture.requestCollections(collectionRequest(ada, 'More'))).counts).toMatchObject({ refused: 1 });
    expect(await replyTo(stampRequest(ada, { set: { kind: 'named', name: 'Named' } }))).toMatchObject(outOfShare);
    await fixture.request(...stampsOf(eve, 2));
    expect(await sign()).toEqual(new Set([eve]));
    expect(await sign()).toEqual(new Set());
    await fixture.database.query(
      'update collections set reverted_batches = 1 where account = $1 and created_block is null and batch_id is null',
      [Buffer.from(ada.slice(2), 'hex')],
    );
    expect(await sign()).toEqual(new Set());
    expect(await waitingOf(ada)).toBe(31);

    await note(lane, ether);
    expect(await sign()).toEqual(new Set([ada]));
    await fixture.tend();
    await fixture.settle();
    expect(await waitingOf(ada)).toBe(0);
    expect(await fixture.rows(`select 1 from collections where name = 'Hers' and is_created`)).toHaveLength(1);
  });

  it('holds back nothing that was confirmed before: what a reorg took back and then reverted is stamped again (I4)', async () => {
    await openEve();
    const once = stampRequest(ada, { set: { kind: 'named', name: 'Once' } });
    await fixture.request(once);
    await fixture.settle();
    const head = Number(await fixture.anvil.request('eth_blockNumber', []));
    expect(await fixture.revertTo(head - 1)).toMatchObject({ reverted: 1 });
    const never = stampRequest(ada);
    await fixture.request(never);
    await sign();
    // Both batches revert, with the collection of the first.
    for (const { id } of await fixture.rows(`select id from batches where status = 'signed' and kind = 'commit'`))
      await fixture.database.transaction(async (client) => {
        await client.query(`update batches set status = 'reverted' where id = $1`, [id]);
        await freeCollections(client, id as string, true);
        await putBackToWaiting(client, id as string, true);
      });
    await note(fixture.lanes[0]!, sum(await spentBy(ada)));
    expect(await replyTo(stampRequest(ada))).toMatchObject(outOfShare);
    expect(await sign()).toEqual(new Set([ada]));
    expect(await fixture.rows('select stamp_id from waiting_stamps')).toEqual([{ stamp_id: never.requestId }]);
    await sign();
    expect(await fixture.rows('select 1 from collections where batch_id is null')).toEqual([]);
    expect(await waitingOf(ada)).toBe(1);
  });

  it('is there again when the window has passed', async () => {
    await openEve();
    await fixture.request(...stampsOf(ada, 30));
    await sign();
    await note(fixture.lanes[0]!, sum(await spentBy(ada)));
    expect(await replyTo(stampRequest(ada))).toMatchObject(outOfShare);
    await fixture.database.query(`update account_spending set hour = hour - interval '24 hours'`);
    expect(await replyTo(stampRequest(ada))).toMatchObject(outOfShare);
    expect(await forgetSpending(fixture.database, 24, 5_000)).toBe(0);
    await fixture.database.query(`update account_spending set hour = hour - interval '1 hour'`);
    expect(await replyTo(stampRequest(ada))).toMatchObject({ kind: 'decided' });
    expect(await forgetSpending(fixture.database, 24, 5_000)).toBe(1);
    expect(await spentBy(ada)).toEqual([]);
  });

  it('counts each hour at the price of then or of now, whichever is lower: a spike of fees shuts nobody out later (I11)', async () => {
    await openEve();
    const [lane] = fixture.lanes as [(typeof fixture.lanes)[0]];
    await fixture.request(...stampsOf(ada, 30));
    await sign();
    const spent = sum(await spentBy(ada));
    await note(lane, spent, 100n * price);
    expect(await fixture.shares.over()).toEqual([ada]);
    await note(lane, spent + 1n, 100n * price);
    expect(await fixture.shares.over()).toEqual([]);
    await note(lane, spent / 2n, price / 2n);
    expect(await fixture.shares.over()).toEqual([ada]);
    await note(lane, spent / 2n + 1n, price / 2n);
    expect(await fixture.shares.over()).toEqual([]);
  });

  it('is not limited while a lane’s funds are not known, for an account that is alone, and with a window of 0', async () => {
    const [lane] = fixture.lanes as [(typeof fixture.lanes)[0]];
    await fixture.request(...stampsOf(ada, 30));
    await sign();
    await note(lane, 1n);
    expect(await fixture.shares.over()).toEqual([]);
    await openEve();
    expect(await fixture.shares.over()).toEqual([ada]);
    const logger = createLogger({ service: 'test', level: 'silent' });
    const off = createFundsShares({ database: fixture.database, hours: 0, maxAgeMs: 0, logger, now: () => 0 });
    await off.look();
    expect(await off.over()).toEqual([]);
    await fixture.leaseOf(fixture.lanes[1]!);
    expect(await fixture.shares.over()).toEqual([]);
  });

  it('stays used up while no lane can pay for anything: with the first funds the others are first', async () => {
    await openEve();
    const [lane] = fixture.lanes as [(typeof fixture.lanes)[0]];
    await fixture.request(...stampsOf(ada, 30));
    await sign();
    await note(lane, 0n);
    expect(await fixture.shares.over()).toEqual([]);
    await note(lane, 1n);
    expect(await fixture.shares.over()).toEqual([ada]);
    await note(lane, 0n);
    expect(await fixture.shares.over()).toEqual([ada]);
  });
});

it('the log says once when an account has used its share, and once when it has one again', async () => {
  await openEve();
  await fixture.request(...stampsOf(ada, 30));
  await sign();
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  const logger = createLogger({ service: 'test', level: 'info' }, { write });
  const shares = createFundsShares({ database: fixture.database, hours: 24, maxAgeMs: 0, logger, now: () => 0 });
  const spent = sum(await spentBy(ada));
  for (const freeWei of [spent, spent, spent + 1n, spent + 1n]) {
    await note(fixture.lanes[0]!, freeWei);
    await shares.look();
  }
  expect(lines).toMatchObject([
    { level: 'warn', account: ada, spentWei: String(spent), shareWei: String(spent) },
    { level: 'info', account: ada, spentWei: String(spent), shareWei: String(spent + 1n) },
  ]);
});

describe('looks at what accounts spent', () => {
  const lines: Record<string, unknown>[] = [];
  let mood: 'well' | 'failing' | 'silent';
  let lane: RunningLane | undefined;
  beforeEach(() => {
    mood = 'well';
    lines.length = 0;
  });
  afterEach(async () => {
    await lane?.stop();
    lane = undefined;
  });

  /** A database that fails only these queries, like a statement that takes too long. */
  function troubled() {
    const query = ((...args: Parameters<typeof fixture.database.query>) =>
      mood === 'well'
        ? fixture.database.query(...args)
        : mood === 'failing'
          ? Promise.reject(new Error('canceling statement due to statement timeout'))
          : new Promise(() => {})) as typeof fixture.database.query;
    const logger = createLogger(
      { service: 'test', level: 'info' },
      { write: (line) => void lines.push(JSON.parse(line)) },
    );
    const shares = createFundsShares({
      database: { query },
      hours: 24,
      maxAgeMs: 0,
      logger,
      now: () => performance.now(),
    });
    const intake = createIntake({ database: fixture.database, maxWaiting: 1_000, shares, maxAgeMs: 0, now: () => 0 });
    const { database, chainId } = fixture;
    return {
      shares,
      decide: async (request: RequestStamp) =>
        (await handleStampRequests({ database, chainId, now: Date.now, intake }, [incoming(RequestStamp, request)]))
          .counts,
    };
  }

  it.each(['failing', 'silent'] as const)(
    'that are %s hold up neither a decision nor a lane, and who was over its share stays so (I11, I12)',
    async (trouble) => {
      const eve = await openEve();
      await fixture.request(...stampsOf(ada, 30));
      await sign();
      await fixture.request(stampRequest(ada));
      await note(fixture.lanes[0]!, sum(await spentBy(ada)));
      const { shares, decide } = troubled();
      await shares.look();
      mood = trouble;
      expect(await decide(stampRequest(ada))).toMatchObject({ refused: 1 });
      const hers = stampRequest(eve);
      expect(await decide(hers)).toMatchObject({ new: 1, refused: 0 });
      lane = await runLane(fixture, { shares });
      await confirmed([hers]);
      expect(await waitingOf(ada)).toBe(1);
      expect(lines.filter(({ msg }) => /waiting for/.test(String(msg)))).toHaveLength(trouble === 'failing' ? 1 : 0);
    },
    60_000,
  );

  it.each(['failing', 'silent'] as const)('that are %s from the start hold back nobody (I11)', async (trouble) => {
    await openEve();
    const { decide } = troubled();
    mood = trouble;
    expect(await decide(stampRequest(ada))).toMatchObject({ new: 1 });
  });
});
