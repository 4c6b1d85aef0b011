import type { Rpc, SignDigest } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';

/** What lane commands work on. */
export type LanePlace = {
  readonly rpc: Rpc;
  readonly database: Database;
  readonly chainId: number;
  readonly contract: Hex;
  readonly operator: Hex;
};

export type LaneKey = { readonly index: number; readonly address: Hex; readonly sign: SignDigest };

/** A refused command, and why. */
export class LaneRefusedError extends Error {
  override readonly name = 'LaneRefusedError';
  readonly retryable = false;
}
