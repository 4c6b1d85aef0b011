import { appendFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { callRpc, createInfrastructure, type Infrastructure } from '../src/servers.ts';
import { giveOwnPorts } from './own-ports.ts';

type Block = { readonly number: string; readonly hash: string; readonly timestamp: string };

const downloadsDir = resolve(import.meta.dirname, '../../../.local/downloads');
let dataDir: string;
let started: Infrastructure<'anvil'>[];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'indelible-chain-'));
  await giveOwnPorts(dataDir);
  started = [];
});
afterEach(async () => {
  await Promise.all(started.map((infrastructure) => infrastructure.stop()));
  await rm(dataDir, { recursive: true, force: true });
}, 60_000);

async function start(): Promise<Infrastructure<'anvil'>> {
  const infrastructure = await createInfrastructure({
    dataDir,
    downloadsDir,
    addresses: {},
    parts: ['anvil'],
    docker: 'never',
    chain: { blockTimeSeconds: 0.2 },
    onStep: () => undefined,
    signal: AbortSignal.timeout(60_000),
  });
  started.push(infrastructure);
  return infrastructure;
}

const rpc = <T>({ connection }: Infrastructure<'anvil'>, method: string, params: readonly unknown[] = []): Promise<T> =>
  callRpc<T>(connection.rpcUrl, method, params, AbortSignal.timeout(10_000));
const blockAt = (chain: Infrastructure<'anvil'>, tag: string): Promise<Block> =>
  rpc(chain, 'eth_getBlockByNumber', [tag, false]);

/** Transactions of two senders in several blocks; returns the last block that holds one. */
async function work(chain: Infrastructure<'anvil'>): Promise<Block> {
  const [first, second, to] = await rpc<string[]>(chain, 'eth_accounts');
  let block: Block | null = null;
  for (let round = 0; round < 3; round++) {
    const hashes = await Promise.all(
      [first, second].map((from) =>
        rpc<string>(chain, 'eth_sendTransaction', [{ from, to, value: '0x1', data: '0xab' }]),
      ),
    );
    for (let number: string | undefined; number === undefined; await delay(20))
      number = (await rpc<{ blockNumber: string } | null>(chain, 'eth_getTransactionReceipt', [hashes[1]]))
        ?.blockNumber;
    const receipt = await rpc<{ blockNumber: string }>(chain, 'eth_getTransactionReceipt', [hashes[1]]);
    block = await blockAt(chain, receipt.blockNumber);
  }
  return block as Block;
}

async function crash(chain: Infrastructure<'anvil'>): Promise<void> {
  const pid = chain.processes[0]?.pid as number;
  process.kill(pid, 'SIGKILL');
  await chain.stop();
}

const journal = (): string => join(dataDir, 'anvil/chain.json.gz.journal');

async function untilWritten(block: Block): Promise<void> {
  while (!(await readFile(journal(), 'utf8')).includes(block.hash)) await delay(20);
}

describe('the local chain', () => {
  it('has the same blocks after its node was killed, though it was not saved whole since', async () => {
    const first = await start();
    await work(first);
    await first.stop();
    const saved = await stat(join(dataDir, 'anvil/chain.json.gz'));

    const second = await start();
    const last = await work(second);
    await untilWritten(last);
    await crash(second);
    expect((await stat(join(dataDir, 'anvil/chain.json.gz'))).mtimeMs).toBe(saved.mtimeMs);

    const third = await start();
    expect(await blockAt(third, last.number)).toEqual(last);
    const next = await work(third);
    expect(Number(next.number)).toBeGreaterThan(Number(last.number));
    expect(Math.abs(Number(next.timestamp) - Date.now() / 1000)).toBeLessThan(60);
    // and what came after the journal was continued is kept, too
    await untilWritten(next);
    await crash(third);
    expect(await blockAt(await start(), next.number)).toEqual(next);
  }, 120_000);

  it('goes back by the blocks behind a torn line, and on from there', async () => {
    const first = await start();
    await work(first);
    await first.stop();
    const second = await start();
    const last = await work(second);
    await untilWritten(last);
    await crash(second);
    await appendFile(journal(), '{"number":99,"hash":"0x');

    const third = await start();
    expect(await blockAt(third, last.number)).toEqual(last);
    const next = await work(third);
    await untilWritten(next);
    await crash(third);
    expect(await blockAt(await start(), next.number)).toEqual(next);
  }, 120_000);
});
