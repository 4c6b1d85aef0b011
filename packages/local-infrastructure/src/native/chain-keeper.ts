import { setTimeout as delay } from 'node:timers/promises';
import { beat, startClock } from './chain-clock.ts';
import { saveChain } from './chain-file.ts';
import { callRpc } from './json-rpc.ts';

const TICK_TIMEOUT_MS = 5_000;
const SAVE_INTERVAL_MS = 10_000;
/** Saving writes the whole chain, so a long one is saved less often: at most this share of the time goes into it. */
const SAVE_SHARE = 0.04;

/** Mines a chain's blocks and keeps it in a file until `stop`, which saves it once more; `stop` never rejects. */
export interface ChainKeeper {
  stop(): Promise<void>;
}

/**
 * Runs a chain that mines nothing by itself. A failing call is tried again at the next tick: whether the chain's process
 * lives is for others to watch.
 */
export function keepChain(options: {
  rpcUrl: string;
  blockTimeSeconds: number;
  stateFile: string | undefined;
}): ChainKeeper {
  const stopping = new AbortController();
  const { rpcUrl, stateFile } = options;
  const saver = stateFile === undefined ? undefined : new Saver(rpcUrl, stateFile);
  const run = async () => {
    let clock = startClock(performance.now());
    const tickMs = options.blockTimeSeconds * 1_000;
    for (let due = performance.now() + tickMs; ; due = Math.max(due + tickMs, performance.now())) {
      await delay(Math.max(0, due - performance.now()), undefined, { signal: stopping.signal });
      try {
        const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(TICK_TIMEOUT_MS)]);
        const { pending } = await callRpc<{ pending: string }>(rpcUrl, 'txpool_status', [], signal);
        const { mine, state } = beat(clock, performance.now(), Number(pending) > 0);
        if (mine) await callRpc(rpcUrl, 'evm_mine', [], signal);
        clock = state;
        await saver?.saveIfDue();
      } catch {
        stopping.signal.throwIfAborted();
      }
    }
  };
  const ended = run().catch(() => undefined);
  return {
    stop: async () => {
      stopping.abort();
      await ended;
      await saver?.save().catch(() => undefined);
    },
  };
}

/** Saves when there are new blocks and enough time has passed. */
class Saver {
  readonly #rpcUrl: string;
  readonly #file: string;
  #savedBlock = '';
  #nextAt = performance.now() + SAVE_INTERVAL_MS;

  constructor(rpcUrl: string, file: string) {
    this.#rpcUrl = rpcUrl;
    this.#file = file;
  }

  async saveIfDue(): Promise<void> {
    if (performance.now() < this.#nextAt) return;
    const block = await callRpc<string>(this.#rpcUrl, 'eth_blockNumber', [], AbortSignal.timeout(TICK_TIMEOUT_MS));
    if (block === this.#savedBlock) return;
    const began = performance.now();
    await this.save();
    this.#savedBlock = block;
    this.#nextAt = performance.now() + Math.max(SAVE_INTERVAL_MS, (performance.now() - began) / SAVE_SHARE);
  }

  save(): Promise<void> {
    return saveChain(this.#rpcUrl, this.#file);
  }
}
