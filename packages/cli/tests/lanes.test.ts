import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeRemoveLane } from '@indelible/commitment-contract';
import { createRpc, getBalance, getTransactionCount, type Rpc, sendAndWait } from '@indelible/ethereum';
import { createOperatorKeys } from '@indelible/ethereum/custody';
import { checksumAddress, type Hex } from '@indelible/identifiers';
import { type TestAnvil, type TestDatabase, testAnvil, testDatabase } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ensureContract, runMigrations, setLocalBalance } from '../src/provisioning.ts';
import { compileCache, runCommand } from './command-line.ts';

jest.setTimeout(180_000);

const ether = 10n ** 18n;
const keys = createOperatorKeys({ seed: new Uint8Array(32).fill(1) });
const { operator } = keys;
const lane = keys.lane;
const bytes = (address: Hex): Buffer => Buffer.from(address.slice(2), 'hex');

let anvil: TestAnvil;
let rpc: Rpc;
let database: TestDatabase;
let contract: Hex;
beforeAll(async () => {
  [anvil, database] = await Promise.all([testAnvil(), testDatabase()]);
  rpc = createRpc({ urls: [anvil.rpcUrl], timeoutMs: 10_000 });
  await setLocalBalance(rpc, operator.address, 1_000n * ether);
  ({ address: contract } = await ensureContract({ rpc, operator, lanes: [] }));
  expect((await runMigrations('stamping', { ...compileCache, DATABASE_URL: database.url })).fault).toBeUndefined();
});
afterAll(async () => {
  rpc.close();
  await anvil.stop();
  await database.drop();
});

const run = (words: readonly string[], environment: Record<string, string> = {}) =>
  runCommand(['lanes', ...words], {
    folder: '/',
    environment: {
      DATABASE_URL: database.url,
      RPC_URL: anvil.rpcUrl,
      CHAIN_ID: String(anvil.chainId),
      CONTRACT_ADDRESS: contract,
      OPERATOR_SEED: '01'.repeat(32),
      LANES: '2',
      ...environment,
    },
  });
const jsonOf = async (words: readonly string[], environment?: Record<string, string>) => {
  const { code, out, err } = await run([...words, '--json'], environment);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
};
const listed = () => jsonOf(['list']) as Promise<Record<string, unknown>[]>;

describe('indelible lanes add', () => {
  it('adds each lane once, however often and at the same time it runs', async () => {
    expect((await listed()).map(({ added }) => added)).toEqual([false, false]);
    const runs = await Promise.all([run(['add']), run(['add']), run(['add'])]);
    expect(runs.map(({ code, err }) => [code, err])).toEqual(runs.map(() => [0, '']));
    expect((await listed()).map(({ index, added }) => [index, added])).toEqual([
      [0, true],
      [1, true],
    ]);
    const sent = await getTransactionCount(rpc, operator.address);
    const { lanes } = await jsonOf(['add']);
    expect(lanes.map(({ added }: { added: boolean }) => added)).toEqual([false, false]);
    expect(await getTransactionCount(rpc, operator.address)).toBe(sent);
  });

  it('leaves a lane that the operator removed as it is, and grants it again by its index and --again alone (I2)', async () => {
    const call = { to: contract, data: encodeRemoveLane({ lane: lane(1).address }) };
    await sendAndWait(rpc, operator, call, { timeoutMs: 20_000 });
    expect(await run(['add'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^lane 1 .* was removed, and is/m),
    });
    expect((await jsonOf(['add', '1'])).lanes).toMatchObject([{ index: 1, added: false, removed: true }]);
    const requested = await run(['request-grants'], { OPERATOR_ADDRESS: operator.address });
    expect(JSON.parse(requested.out).grants).toEqual([]);
    expect(requested.err).toContain(`lane ${checksumAddress(lane(1).address)} was removed`);
    expect(await run(['add', '--again'])).toMatchObject({ code: 1, err: expect.stringContaining('needs the indexes') });
    expect((await listed()).map(({ added }) => added)).toEqual([true, false]);
    expect((await jsonOf(['add', '1', '--again'])).lanes).toMatchObject([{ index: 1, added: true }]);
    expect((await listed()).map(({ added }) => added)).toEqual([true, true]);
  });

  it("refuses lanes of another operator, and another operator's key, and sends nothing", async () => {
    const other = createOperatorKeys({ seed: new Uint8Array(32).fill(6) }).operator;
    await setLocalBalance(rpc, other.address, ether);
    const laneSeed = { OPERATOR_SEED: '', LANE_SEED: '01'.repeat(32), OPERATOR_ADDRESS: other.address };
    const file = join(tmpdir(), `${database.name}.seed`);
    await writeFile(file, '06'.repeat(32), { mode: 0o600 });
    expect(await run(['add'], { ...laneSeed, OPERATOR_SEED_FILE: '' })).toMatchObject({ code: 1 });
    const seeds = { ...laneSeed, OPERATOR_SEED: '', OPERATOR_SEED_FILE: file };
    expect(await run(['add'], seeds)).toMatchObject({ code: 1 });
    expect(await getTransactionCount(rpc, other.address)).toBe(0);
  });
});

describe('indelible lanes fund', () => {
  const fund = ['fund', '--below', '0.5', '--up-to', '2'];

  it('fills up lanes that have little, once, also when it runs at the same time', async () => {
    await setLocalBalance(rpc, lane(0).address, ether / 4n);
    await setLocalBalance(rpc, lane(1).address, ether);
    const dry = await jsonOf([...fund, '--dry-run']);
    expect(dry.lanes.map(({ sent }: { sent: string }) => sent)).toEqual(['1.75', '0']);
    expect(await getBalance(rpc, lane(0).address)).toBe(ether / 4n);
    const runs = await Promise.all([run(fund), run(fund), run(fund)]);
    expect(runs.map(({ code, err }) => [code, err])).toEqual(runs.map(() => [0, '']));
    expect(await getBalance(rpc, lane(0).address)).toBe(2n * ether);
    expect(await getBalance(rpc, lane(1).address)).toBe(ether);
    expect(await run(fund)).toMatchObject({ code: 0, out: expect.not.stringContaining('got') });
  });

  it("refuses to pay by a lane's key, whose nonces are stamping's (I3), and amounts that make no sense", async () => {
    const file = join(tmpdir(), `${database.name}.key`);
    await writeFile(file, Buffer.from(lane(1).privateKey).toString('hex'), { mode: 0o600 });
    expect(await run([...fund, '--key-file', file])).toMatchObject({
      code: 1,
      err: expect.stringContaining("is a lane's"),
    });
    expect((await run(['fund', '--below', '2', '--up-to', '1'])).code).toBe(1);
    expect((await run(['fund', '--below', 'much', '--up-to', '1'])).code).toBe(2);
  });
});

describe('indelible lanes drain', () => {
  /** Blocks come, so that what is sent becomes final. */
  async function whileMining<Result>(work: Promise<Result>): Promise<Result> {
    const ended = new AbortController();
    const mining = (async () => {
      while (!ended.signal.aborted) {
        await anvil.mine(40);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    })();
    try {
      return await work;
    } finally {
      ended.abort();
      await mining;
    }
  }
  const addRow = (address: Hex, nonce: number) =>
    database.pool.query(
      `insert into stamping.lanes (lane, chain_id, next_nonce) values ($1, $2, $3) on conflict (lane) do nothing`,
      [bytes(address), anvil.chainId, nonce],
    );

  it('refuses to close the last lane unless that is wanted', async () => {
    await addRow(lane(0).address, 0);
    await database.pool.query('delete from stamping.lanes where lane = $1', [bytes(lane(1).address)]);
    const { code, err } = await run(['drain', '0']);
    expect([code, err]).toEqual([1, expect.stringContaining('is the last that takes batches')]);
    expect((await listed()).every(({ draining }) => draining === false)).toBe(true);
  });

  it('refuses a lane that was neither added nor used, since a drained one stays closed', async () => {
    const { code, err } = await run(['drain', '63']);
    expect([code, err]).toEqual([1, expect.stringContaining('lane 63 was neither added nor ever used')]);
    expect((await listed()).map(({ lane: address }) => address)).not.toContain(lane(63).address);
  });

  it('waits for batches that are not final, and sends nothing while one is (I3)', async () => {
    await addRow(lane(1).address, 1);
    await database.pool.query(
      `insert into stamping.batches (id, chain_id, lane, nonce, kind, status, gas_limit)
       values (gen_random_uuid(), $1, $2, 0, 'commit', 'included', 21000)`,
      [anvil.chainId, bytes(lane(1).address)],
    );
    const before = await getBalance(rpc, lane(1).address);
    const { code, err } = await run(['drain', '1', '--wait', '1']);
    expect([code, err]).toEqual([1, expect.stringContaining('1 of its batches are not final')]);
    expect(await getBalance(rpc, lane(1).address)).toBe(before);
    expect((await listed())[1]).toMatchObject({ draining: true, notFinal: 1 });
    expect(await run(['resume', '1'])).toMatchObject({ code: 0, out: expect.stringContaining('takes batches') });
    expect((await listed())[1]).toMatchObject({ draining: false });
    await database.pool.query('delete from stamping.batches');
    await database.pool.query('update stamping.lanes set next_nonce = 0 where lane = $1', [bytes(lane(1).address)]);
  });

  it('waits while stamping holds the lane', async () => {
    const hold = (until: string) =>
      database.pool.query(
        `update stamping.lanes set lease_holder = 'stamping-1', lease_until = ${until} where lane = $1`,
        [bytes(lane(1).address)],
      );
    await hold(`now() + interval '1 hour'`);
    const { code, err } = await run(['drain', '1', '--wait', '1']);
    expect([code, err]).toEqual([1, expect.stringContaining('is held by stamping-1')]);
    await hold(`'epoch'`);
  });

  it('sends what is left to the operator, once, also when it runs twice at the same time', async () => {
    const before = await getBalance(rpc, operator.address);
    const left = await getBalance(rpc, lane(1).address);
    const runs = await whileMining(Promise.all([run(['drain', '1', '--json']), run(['drain', '1', '--json'])]));
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    const sent = runs.map(({ out }) => BigInt(JSON.parse(out).sent)).sort();
    expect(sent[0]).toBe(0n);
    expect(sent[1]).toBeGreaterThan((left * 99n) / 100n);
    expect(await getBalance(rpc, operator.address)).toBe(before + sent[1]!);
    expect(await getTransactionCount(rpc, lane(1).address)).toBe(1);
    expect((await listed())[1]).toMatchObject({
      lane: lane(1).address,
      draining: true,
      nonce: { chain: 1, next: 1 },
      holder: null,
    });
    // Funds are for lanes that take batches.
    expect((await jsonOf(['fund', '--below', '1', '--up-to', '1'])).lanes).toHaveLength(1);
    await database.pool.query('update stamping.lanes set draining = true where lane = $1', [bytes(lane(0).address)]);
    expect(await run(['fund', '--below', '1', '--up-to', '1'])).toMatchObject({
      ...{ code: 0, out: '', err: expect.stringContaining('nothing to fund: all lanes of LANES are drained') },
    });
    await database.pool.query('update stamping.lanes set draining = false where lane = $1', [bytes(lane(0).address)]);
  });

  it('uses the nonce that a run took before it was killed: none is left out', async () => {
    const other = lane(0);
    await addRow(lane(2).address, 0);
    await database.pool.query('update stamping.lanes set next_nonce = $2, draining = true where lane = $1', [
      bytes(other.address),
      (await getTransactionCount(rpc, other.address)) + 1,
    ]);
    const { code } = await whileMining(run(['drain', '0', '--to', checksumAddress(keys.lane(3).address)]));
    expect(code).toBe(0);
    expect((await listed())[0]).toMatchObject({ nonce: { chain: 1, next: 1 } });
    expect(await getBalance(rpc, keys.lane(3).address)).toBeGreaterThan(ether);
  });

  it('names an invalid lane', async () => {
    expect((await run(['drain', '64'])).code).toBe(2);
    expect((await run(['drain'])).code).toBe(2);
  });
});
