import type { BlockPlace as Place } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { ChainLog } from '@indelible/messages';

export type { Place };

/** What is kept of a block. Time in seconds. */
export type Header = Place & { readonly parentHash: Hex; readonly time: number };

/** A block with the contract's logs in it, and the number of its logs that no reader can decode. */
export type Block = Header & { readonly logs: readonly ChainLog[]; readonly undecodable?: number };
