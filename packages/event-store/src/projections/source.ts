import type { Client } from '@indelible/postgres';

/** The progress of a rebuild: counted in `unit`s, `left` as far as it is known. */
export type Progress = {
  readonly unit: 'messages' | 'blocks';
  readonly done: number;
  readonly left: number;
  /** Messages that cannot be read or applied, as the live projection leaves them out. */
  readonly leftOut: number;
};

/** Where a shadow is filled from. All of it ends with the signal it was made with. */
export type Source = {
  start(): Promise<void>;
  /** Fills the shadow up to what there is now. May be called again. */
  catchUp(): Promise<void>;
  /** Does ahead what can be done before the live projection stands still. `client` is in no transaction. */
  prepareSwap(client: Client): Promise<void>;
  /**
   * With the live projection standing still: brings the shadow to where that one is, or beyond, and then leaves it as it
   * is until {@link Source.resume}. False when just now it cannot be: to be tried again later. `client` is in the
   * transaction of the swap.
   */
  settle(client: Client, signal: AbortSignal): Promise<boolean>;
  /** Notes, in the transaction of the swap, what the live projection must know of its new tables. */
  handOver(client: Client): Promise<void>;
  /** Fills on after a swap that was not made. */
  resume(): void;
  progress(): Progress;
  stop(): Promise<void>;
};
