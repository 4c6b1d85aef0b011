import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anyFreePort, callRpc, chainAnswers, findAnvil, waitUntil } from '@indelible/launcher/servers';
import { type Component, createLogger, startAll, stopAll } from '@indelible/service-runtime';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLocalChain } from '../src/local-chain/create-local-chain.ts';

type Block = { readonly number: string; readonly hash: string };

let directory: string;
let port: number;
let node: ChildProcess;
let rpcUrl: string;
let keeping: { readonly components: readonly Component[]; readonly lost: Promise<unknown> } | undefined;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'local-chain-'));
  port = await anyFreePort();
  rpcUrl = `http://127.0.0.1:${port}`;
  await startNode();
});
afterEach(async () => {
  await stopAll(keeping?.components ?? []);
  keeping = undefined;
  await killNode();
  await rm(directory, { recursive: true, force: true });
});

async function startNode(): Promise<void> {
  const flags = ['--quiet', '--port', String(port), '--no-mining', '--no-request-size-limit'];
  node = spawn(await findAnvil(), flags, { stdio: 'ignore', env: { HOME: directory, TMPDIR: directory } });
  await waitUntil((signal) => chainAnswers(rpcUrl, signal), { timeoutMs: 30_000, signal: AbortSignal.timeout(30_000) });
}

async function killNode(): Promise<void> {
  if (node.exitCode !== null || node.signalCode !== null) return;
  const ended = once(node, 'exit');
  node.kill('SIGKILL');
  await ended;
}

async function keep(): Promise<NonNullable<typeof keeping>> {
  const { promise: lost, resolve } = Promise.withResolvers<unknown>();
  const config = {
    rpcUrls: [rpcUrl] as const,
    directory: join(directory, 'kept'),
    blockTimeSeconds: 1,
    internalHost: '127.0.0.1',
    internalPort: 0,
    leaveMs: 0,
    logLevel: 'silent' as const,
  };
  const components = createLocalChain(config, createLogger({ service: 'local-chain', level: 'silent' }), resolve);
  keeping = { components, lost };
  await startAll(components);
  return keeping;
}

const blockAt = (tag: string): Promise<Block> =>
  callRpc<Block>(rpcUrl, 'eth_getBlockByNumber', [tag, false], AbortSignal.timeout(10_000));

/** The newest block once there are so many. */
const untilBlock = (number: number): Promise<Block> =>
  waitUntil(
    async () => {
      const head = await blockAt('latest');
      if (Number(head.number) < number) throw new Error(`the chain is at block ${Number(head.number)}`);
      return head;
    },
    { timeoutMs: 30_000, signal: AbortSignal.timeout(30_000) },
  );

describe('a local chain whose node runs in a container of its own', () => {
  it('has the same blocks after its node was killed, and says that the node lost them', async () => {
    const first = await keep();
    await untilBlock(4);
    const kept = await blockAt('0x3');
    await killNode();
    await startNode();
    expect(String(await first.lost)).toContain('has lost its blocks');
    await stopAll(first.components);
    await keep();
    expect(await blockAt('0x3')).toMatchObject({ hash: kept.hash });
    await untilBlock(5);
  }, 90_000);

  it('loses no block of a node that went on while it was not kept', async () => {
    const first = await keep();
    await untilBlock(2);
    await stopAll(first.components);
    await callRpc(rpcUrl, 'evm_mine', [], AbortSignal.timeout(10_000));
    const unkept = await blockAt('latest');
    const second = await keep();
    await stopAll(second.components);
    await killNode();
    await startNode();
    await keep();
    expect(await blockAt(unkept.number)).toMatchObject({ hash: unkept.hash });
  }, 90_000);
});
