import { access, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Component, createInternalServer, type Logger } from '@indelible/service-runtime';
import { loadChain, saveChain } from './chain-file.ts';
import { replayJournal } from './chain-journal.ts';
import { type ChainKeeper, keepChain } from './chain-keeper.ts';
import type { Config } from './config.ts';
import { callRpc } from './json-rpc.ts';

const callTimeoutMs = 5_000;
const retryMs = 250;

/**
 * Keeps the chain of an anvil started elsewhere: restores its blocks, mines, and saves each block. It is ready when the
 * blocks are restored. A restarted anvil is empty: then nothing is saved, and `fail` ends the process, so that the next
 * one restores its blocks.
 */
export function createLocalChain(config: Config, logger: Logger, fail: (error: unknown) => void): readonly Component[] {
  const [rpcUrl] = config.rpcUrls;
  const files = { whole: join(config.directory, 'state'), journal: join(config.directory, 'journal') };
  const stopping = new AbortController();
  let keeper: ChainKeeper | undefined;
  const chain: Component = {
    name: 'local chain',
    async start() {
      await mkdir(config.directory, { recursive: true });
      const instance = await untilAnswers(rpcUrl, stopping.signal);
      await restore(rpcUrl, files);
      keeper = await keepChain({
        rpcUrl,
        blockTimeSeconds: config.blockTimeSeconds,
        files,
        isSame: async (signal) => (await instanceOf(rpcUrl, signal)) === instance,
        onLost: () => fail(new Error('the chain node (RPC_URL) was restarted and has lost its blocks')),
      });
      logger.info({ directory: config.directory }, 'Local chain restored');
    },
    async stop() {
      stopping.abort();
      await keeper?.stop();
    },
    ready: () => keeper !== undefined,
  };
  const server: Component = createInternalServer({
    host: config.internalHost,
    port: config.internalPort,
    logger,
    components: () => [chain],
  });
  return [server, chain];
}

/**
 * A node with blocks ran while nobody saved them: only a whole save has them all. A new chain is saved at once, too:
 * each node starts with another block 0, and anvil computes another fee for block 1 on a restored block 0, so both are
 * saved.
 */
async function restore(rpcUrl: string, files: { readonly whole: string; readonly journal: string }): Promise<void> {
  const head = Number(await callRpc<string>(rpcUrl, 'eth_blockNumber', [], AbortSignal.timeout(callTimeoutMs)));
  const isKept = await access(files.whole).then(
    () => true,
    () => false,
  );
  if (head === 0 && isKept) {
    await loadChain(rpcUrl, files.whole);
    await replayJournal(rpcUrl, files.journal);
  } else {
    if (head === 0) await callRpc(rpcUrl, 'evm_mine', [], AbortSignal.timeout(callTimeoutMs));
    await saveChain(rpcUrl, files.whole);
    await rm(files.journal, { force: true });
  }
}

/** An id that is unique to each run of the node. */
async function instanceOf(rpcUrl: string, signal: AbortSignal): Promise<string> {
  const { instanceId } = await callRpc<{ instanceId: string }>(rpcUrl, 'anvil_metadata', [], signal);
  return instanceId;
}

async function untilAnswers(rpcUrl: string, signal: AbortSignal): Promise<string> {
  for (;;) {
    try {
      return await instanceOf(rpcUrl, AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]));
    } catch {
      await delay(retryMs, undefined, { signal });
    }
  }
}
