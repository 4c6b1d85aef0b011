import type { Hex } from '@indelible/identifiers';
import type { ChainLog } from '@indelible/messages';

/** A block's place on a chain. */
export type Place = { readonly number: number; readonly hash: Hex };

/** What is kept of a block. Time in seconds. */
export type Header = Place & { readonly parentHash: Hex; readonly time: number };

/** A block with what the contract logged in it, and how many more of its logs no reader can decode. */
export type Block = Header & { readonly logs: readonly ChainLog[]; readonly undecodable?: number };

export const isChildOf = (block: Header, parent: Place): boolean =>
  block.number === parent.number + 1 && block.parentHash === parent.hash;

/** As many of the blocks as form a chain on top of the place, from the first on. */
export function chainOn<Each extends Header>(place: Place, blocks: readonly Each[]): readonly Each[] {
  let last = place;
  const end = blocks.findIndex((block) => {
    if (!isChildOf(block, last)) return true;
    last = block;
    return false;
  });
  return end === -1 ? blocks : blocks.slice(0, end);
}
