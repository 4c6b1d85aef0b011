import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { beat, type ClockState, startClock } from './chain-clock.ts';
import { saveChain } from './chain-file.ts';
import { ChainJournal } from './chain-journal.ts';
import { callRpc } from './json-rpc.ts';
import { isSaveDue } from './save-policy.ts';

const TICK_TIMEOUT_MS = 5_000;

/** Mines a chain's blocks and keeps it in files until `stop`, which saves it whole; `stop` never rejects. */
export interface ChainKeeper {
  stop(): Promise<void>;
}

/** A chain's files: a whole save, and the blocks mined since. */
export interface ChainFiles {
  readonly whole: string;
  readonly journal: string;
}

/**
 * Runs a chain that mines nothing by itself. A failing call is retried at the next tick: others watch the chain's
 * process.
 */
export async function keepChain(options: {
  rpcUrl: string;
  blockTimeSeconds: number;
  files: ChainFiles | undefined;
  /** Whether the node is still the run that got its blocks: another run is empty, and is not saved. */
  isSame?: (signal: AbortSignal) => Promise<boolean>;
  /** Called once when it is another run. Nothing is mined or saved afterwards. */
  onLost?: () => void;
}): Promise<ChainKeeper> {
  const stopping = new AbortController();
  const { rpcUrl, files, isSame } = options;
  let lost = false;
  const saver = files === undefined ? undefined : await Saver.open(rpcUrl, files);
  const run = async () => {
    let clock = startClock(performance.now());
    const tickMs = options.blockTimeSeconds * 1_000;
    for (let due = performance.now() + tickMs; ; due = Math.max(due + tickMs, performance.now())) {
      await delay(Math.max(0, due - performance.now()), undefined, { signal: stopping.signal });
      try {
        const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(TICK_TIMEOUT_MS)]);
        if (isSame !== undefined && !(await isSame(signal))) {
          lost = true;
          options.onLost?.();
          return;
        }
        const { pending } = await callRpc<{ pending: string }>(rpcUrl, 'txpool_status', [], signal);
        const { mine, state } = beat(clock, performance.now(), Number(pending) > 0);
        if (mine) await callRpc(rpcUrl, 'evm_mine', [], signal);
        clock = state;
        await saver?.keep(clock);
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
      if (isSame !== undefined && !(await isSame(AbortSignal.timeout(TICK_TIMEOUT_MS)).catch(() => false))) lost = true;
      await saver?.close({ save: !lost }).catch(() => undefined);
    },
  };
}

/** Saves each block as it comes, and the whole chain when that delays no one. */
class Saver {
  readonly #rpcUrl: string;
  readonly #files: ChainFiles;
  readonly #journal: ChainJournal;
  #wholeBytes: number;
  #savedAt = performance.now();

  private constructor(rpcUrl: string, files: ChainFiles, journal: ChainJournal, wholeBytes: number) {
    this.#rpcUrl = rpcUrl;
    this.#files = files;
    this.#journal = journal;
    this.#wholeBytes = wholeBytes;
  }

  static async open(rpcUrl: string, files: ChainFiles): Promise<Saver> {
    const wholeBytes = await stat(files.whole).then(
      ({ size }) => size,
      () => 0,
    );
    return new Saver(rpcUrl, files, await ChainJournal.open(rpcUrl, files.journal), wholeBytes);
  }

  async keep(clock: ClockState): Promise<void> {
    const follows = await this.#journal.follow();
    const due = isSaveDue({
      follows,
      journalBytes: this.#journal.bytes,
      wholeBytes: this.#wholeBytes,
      sinceSavedMs: performance.now() - this.#savedAt,
      idle: clock.remaining === 0,
    });
    if (due) await this.#saveWhole();
  }

  async close({ save }: { save: boolean }): Promise<void> {
    try {
      if (save && (!(await this.#journal.follow()) || this.#journal.bytes > 0)) await this.#saveWhole();
    } finally {
      await this.#journal.close();
    }
  }

  /** A crash between the two leaves blocks in the journal that are already saved: they are skipped. */
  async #saveWhole(): Promise<void> {
    this.#wholeBytes = await saveChain(this.#rpcUrl, this.#files.whole);
    await this.#journal.clear();
    this.#savedAt = performance.now();
  }
}
