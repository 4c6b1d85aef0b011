import type { Client } from '@indelible/postgres';

/** The progress of a rebuild: counted in `unit`s, `left` as far as it is known. */
export type Progress = {
  readonly unit: 'messages' | 'blocks';
  readonly done: number;
  readonly left: number;
  /** Messages that cannot be read or applied; the live projection skips them, too. */
  readonly leftOut: number;
};

/** Fills a shadow. All of it ends with the signal given at its creation. */
export type Source = {
  start(): Promise<void>;
  /** Fills the shadow up to what there is now. May be called again. */
  catchUp(): Promise<void>;
  /** Prepares what it can before the live projection is paused. `client` is in no transaction. */
  prepareSwap(client: Client): Promise<void>;
  /**
   * While the live projection is paused: brings the shadow up to its state, or beyond, and then stops until
   * {@link Source.resume}. False if not possible now: retry later. `client` is in the transaction of the swap.
   */
  settle(client: Client, signal: AbortSignal): Promise<boolean>;
  /** Notes, in the transaction of the swap, what the live projection must know of its new tables. */
  handOver(client: Client): Promise<void>;
  /** Continues after a failed swap. */
  resume(): void;
  progress(): Progress;
  stop(): Promise<void>;
};
