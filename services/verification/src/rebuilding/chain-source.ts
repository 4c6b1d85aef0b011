import { setTimeout as delay } from 'node:timers/promises';
import { chainOn } from '@indelible/ethereum';
import { RebuildError, type Schemas, type Source } from '@indelible/event-store';
import type { Hex } from '@indelible/identifiers';
import type { Client, Database } from '@indelible/postgres';
import { isRetryable, setNewest } from '@indelible/service-runtime';
import type { ChainMessage } from '../decisions/follow-chain.ts';
import { applyBlocks } from '../projections/commitments.ts';
import type { ChainBlock, ChainBlocks } from './chain-blocks.ts';
import { readLiveCursor } from './live-cursor.ts';

type Place = { readonly number: number; readonly hash: Hex };

/** Blocks read and written at once; the next are read during the write. */
const window = 100;
/** Number of blocks remembered: nodes make no deeper reorg. */
const remembered = 10_000;
/** How long a fault of the node or Postgres may last. */
const patienceMs = 60_000;

/**
 * Fills the shadow of commitments from the chain alone, up to the block of the live cursor, where the live projection
 * continues with its own messages. Does not read its topic.
 */
export function createChainSource(options: {
  readonly blocks: ChainBlocks;
  readonly chainId: number;
  /** The contract's first block, or an earlier one. */
  readonly startBlock: number;
  readonly schemas: Schemas;
  readonly shadow: Pick<Database, 'transaction' | 'query'>;
  readonly signal: AbortSignal;
}): Source {
  const { blocks, chainId, startBlock, schemas, shadow, signal } = options;
  /** Hashes of the blocks read last, the newest last. */
  const read = new Map<number, Hex>();
  let at: Place | undefined;
  let target = startBlock - 1;

  const apply = (messages: readonly ChainMessage[]): Promise<unknown> =>
    shadow.transaction((client) => applyBlocks(client, messages));

  const note = (place: Place): void => {
    setNewest(read, place.number, place.hash, remembered);
    at = { number: place.number, hash: place.hash };
  };

  async function goBackTo(ancestor: Place): Promise<void> {
    if (at === undefined) return;
    // Nothing is at the block before the first: restart there.
    if (ancestor.number < startBlock) {
      await shadow.transaction(async (client) => {
        await client.query('delete from commitments where chain_id = $1', [chainId]);
        await client.query('delete from cursors where chain_id = $1', [chainId]);
      });
    } else await apply([{ type: 'BlocksReverted', data: { chainId, ancestor, revertedHead: at } }]);
    for (const number of [...read.keys()].reverse()) {
      if (number <= ancestor.number) break;
      read.delete(number);
    }
    at = ancestor;
  }

  /** The chain forked below the cursor: go back to the newest block that the node still has. */
  async function resolveFork(): Promise<void> {
    const numbers = [...read.keys()];
    for (let end = numbers.length; end > 0; end -= window) {
      const some = numbers.slice(Math.max(0, end - window), end);
      const headers = await blocks.headers(some[0] as number, some.at(-1) as number);
      const common = headers.findLast(({ number, hash }) => read.get(number) === hash);
      if (common !== undefined) return goBackTo({ number: common.number, hash: common.hash });
    }
    throw new RebuildError('the chain has forked below all blocks read lately: rebuild again', { retryable: true });
  }

  async function readWindow(from: number, to: number): Promise<readonly ChainBlock[]> {
    const headers = await blocks.headers(from, Math.min(to, from + window - 1));
    return blocks.withCommitments(chainOn({ number: from - 1, hash: headers[0]?.parentHash ?? '0x' }, headers));
  }

  async function advance(to: number): Promise<void> {
    if (at === undefined) {
      const [anchor] = await blocks.headers(startBlock - 1, startBlock - 1);
      if (anchor !== undefined) note(anchor);
    }
    let next = at === undefined || at.number >= to ? undefined : readWindow(at.number + 1, to);
    while (next !== undefined && at !== undefined) {
      signal.throwIfAborted();
      const some = await next;
      const last = some.at(-1);
      if (last === undefined || some[0]?.parentHash !== at.hash) {
        await resolveFork();
        next = readWindow(at.number + 1, to);
        continue;
      }
      next = last.number < to ? readWindow(last.number + 1, to) : undefined;
      // Awaited only after the write, which may fail first.
      next?.catch(() => undefined);
      await apply(some.map((data) => ({ type: 'BlockAppended', data })));
      for (const block of some) note(block);
    }
  }

  /** Retries after external faults, as long as there is progress. */
  async function persist<Result>(work: () => Promise<Result>, limit: AbortSignal): Promise<Result> {
    let failingSince = performance.now();
    let stood = at?.number;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        limit.throwIfAborted();
        if (!isRetryable(error)) throw error;
        if (at?.number !== stood) failingSince = performance.now();
        stood = at?.number;
        if (performance.now() - failingSince > patienceMs) throw error;
        await delay(500, undefined, { signal: limit });
      }
    }
  }

  const liveCursor = (client: Pick<Client, 'query'>) => readLiveCursor(client, schemas.live, chainId);

  return {
    async start() {
      await persist(() => liveCursor(shadow), signal);
    },

    catchUp: () =>
      persist(async () => {
        const live = await liveCursor(shadow);
        target = live.number;
        await advance(target);
      }, signal),

    async prepareSwap() {},

    async settle(client, limit) {
      const live = await liveCursor(client);
      // The rest of its block comes in the next messages, and we cannot know where they split.
      if (live.open || live.number < startBlock - 1) return false;
      await persist(() => advance(live.number), AbortSignal.any([signal, limit]));
      if (at !== undefined && at.number > live.number) {
        const hash = read.get(live.number);
        if (hash === undefined) return false;
        await goBackTo({ number: live.number, hash });
      }
      // Another hash: the node or the live projection has not seen a reorg yet.
      if (at?.hash !== live.hash) {
        await persist(resolveFork, AbortSignal.any([signal, limit]));
        return false;
      }
      await shadow.query('update cursors set finalized = $2 where chain_id = $1', [chainId, live.finalized]);
      return true;
    },

    // The new tables are at the same block as the old ones: the inbox is unchanged.
    async handOver() {},
    // Nothing is read unless requested.
    resume() {},

    progress: () => ({
      unit: 'blocks',
      done: at === undefined ? 0 : at.number - startBlock + 1,
      left: Math.max(0, target - (at?.number ?? startBlock - 1)),
      leftOut: 0,
    }),

    async stop() {},
  };
}
