import type { Rpc } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { MessageBus } from '@indelible/kafka';
import type { Database } from '@indelible/postgres';

export type RestoreParts = {
  readonly database: Database;
  readonly bus: MessageBus;
  readonly rpc: Rpc;
  readonly chainId: number;
  readonly contract: Hex;
  readonly operator: Hex;
  /** Addresses of configured keys. */
  readonly lanes: readonly Hex[];
  /** The backup has all earlier messages. Undefined: it has none. */
  readonly since: Date | undefined;
  /** The first block whose transactions the backup may lack; by default, by its time. */
  readonly fromBlock: number | undefined;
  readonly note: (text: string) => void;
  readonly signal: AbortSignal;
};

export type Restored = {
  readonly events: number;
  readonly decided: number;
  readonly transactions: number;
  readonly batches: number;
  readonly versions: number;
  readonly stampsMade: number;
  readonly revertedAbove: number | null;
};
