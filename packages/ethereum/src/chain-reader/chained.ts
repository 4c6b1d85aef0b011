import type { Hex } from '@indelible/identifiers';
import type { BlockPlace } from '../reads/places.ts';

type Block = BlockPlace & { readonly parentHash: Hex };

export const isChildOf = (block: Block, parent: BlockPlace): boolean =>
  block.number === parent.number + 1 && block.parentHash === parent.hash;

/** The longest prefix of the blocks that forms a chain on top of the place. */
export function chainOn<Each extends Block>(place: BlockPlace, blocks: readonly Each[]): readonly Each[] {
  let last = place;
  const end = blocks.findIndex((block) => {
    if (!isChildOf(block, last)) return true;
    last = block;
    return false;
  });
  return end === -1 ? blocks : blocks.slice(0, end);
}
