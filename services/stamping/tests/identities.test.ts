import type { Hex } from '@indelible/identifiers';
import type { Client } from '@indelible/postgres';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { loadIdentities } from '../src/requests/stamp-queries.ts';
import { randomCid, stampRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

let fixture: Fixture;
let account: Hex;
const zeroCid: Hex = `0x${'0'.repeat(64)}`;
beforeAll(async () => {
  fixture = await createFixture();
  account = await fixture.openAccount(0);
  await fixture.settle();
});
afterAll(() => fixture.dispose());

const bytes = (hex: Hex): Buffer => Buffer.from(hex.slice(2), 'hex');

/** An identity's rows after a long history: confirmed long before this chain's first block, or failed. */
const insertHistory = (objectCid: Hex, count: number, status: 'confirmed' | 'failed') =>
  fixture.pool.query(
    `insert into stamping.stamps (id, account, set_cid, object_cid, status, exclusive, requested_at, version, transaction_hash,
       log_index, block_number, block_hash, block_time)
     select gen_random_uuid(), $1, $2, $3, $5, false, now(), 2, hash, index, block, hash, time
     from generate_series(1, $4::int) as n cross join lateral (
       select case when $5 = 'confirmed' then $2::bytea end as hash, case when $5 = 'confirmed' then n end as index,
         case when $5 = 'confirmed' then n - 1000000 end as block, case when $5 = 'confirmed' then n end as time) as facts`,
    [bytes(account), bytes(zeroCid), bytes(objectCid), count, status],
  );

type Plan = { readonly 'Actual Rows': number; readonly 'Actual Loops': number; readonly Plans?: readonly Plan[] };
const rowsOf = (plan: Plan): number =>
  plan['Actual Rows'] * plan['Actual Loops'] + (plan.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), 0);

/** Total rows returned by all steps of the identities query. */
async function rowsRead(identities: readonly { account: Hex; setCid: Hex; objectCid: Hex }[]): Promise<number> {
  let rows = 0;
  await fixture.database.transaction(async (client) => {
    const explaining = {
      query: async ({ text, values }: { text: string; values: unknown[] }) => {
        const { rows: plans } = await client.query(`explain (analyze, format json) ${text}`, values);
        rows = rowsOf((plans[0] as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan);
        return { rows: [] };
      },
    };
    await loadIdentities(explaining as unknown as Client, fixture.chainId, identities);
  });
  return rows;
}

it('what a decision reads does not grow with the history of its identity (I12)', async () => {
  const short = randomCid();
  const long = randomCid();
  await insertHistory(short, 10, 'confirmed');
  await insertHistory(long, 30_000, 'confirmed');
  await insertHistory(long, 5_000, 'failed');
  const identities = (objectCid: Hex) => Array.from({ length: 500 }, () => ({ account, setCid: zeroCid, objectCid }));
  const most = await rowsRead(identities(short));
  expect(most).toBeGreaterThan(0);
  expect(await rowsRead(identities(long))).toBeLessThanOrEqual(most + 5);

  const window = { windowSeconds: 31_536_000 };
  const repeats = Array.from({ length: 500 }, () => stampRequest(account, { objectCid: long, idempotency: window }));
  expect(await rowsRead([])).toBe(0);
  const { counts, replies } = await fixture.request(...repeats);
  // All blocks are from 1970, outside the window: one is made, and the others join it.
  expect(counts).toMatchObject({ new: 1, joined: 499 });
  expect(replies).toHaveLength(500);
  await fixture.settle();
  const repeat = await fixture.request(stampRequest(account, { objectCid: long }));
  expect(repeat.replies.map(({ reply }) => reply)).toMatchObject([
    { kind: 'confirmed', outcome: 'repeated', stampId: repeats[0]!.requestId },
  ]);
  expect(await rowsRead(identities(long))).toBeLessThanOrEqual(most + 5);
});

it('of equal stamps the newest by block and log is repeated, and one in flight is joined before it', async () => {
  const objectCid = randomCid();
  const stamps = Array.from({ length: 3 }, () => stampRequest(account, { objectCid, idempotency: null }));
  await fixture.request(stamps[0]!);
  await fixture.settle();
  await fixture.request(stamps[1]!, stamps[2]!);
  await fixture.settle();
  const [newest] = await fixture.rows(
    'select id from stamps where object_cid = $1 order by block_number desc, log_index desc limit 1',
    [bytes(objectCid)],
  );
  const repeat = await fixture.request(stampRequest(account, { objectCid }));
  expect(repeat.replies.map(({ reply }) => reply)).toMatchObject([{ outcome: 'repeated', stampId: newest?.id }]);
  const flying = stampRequest(account, { objectCid, idempotency: null });
  await fixture.request(flying);
  const joining = await fixture.request(stampRequest(account, { objectCid }));
  expect(joining.replies.map(({ reply }) => reply)).toMatchObject([{ decision: 'joined', stampId: flying.requestId }]);
  await fixture.settle();
});
