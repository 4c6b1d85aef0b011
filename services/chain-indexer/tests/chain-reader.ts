import type { Hex } from '@indelible/identifiers';
import type { ChainLog, MessageContract } from '@indelible/messages';

export type Published = {
  readonly contract: Pick<MessageContract, 'type'>;
  readonly id: string;
  readonly data: unknown;
};
export type ReadBlock = { readonly number: number; readonly hash: Hex; readonly logs: readonly ChainLog[] };
type Place = { readonly number: number; readonly hash: Hex };
type Part = Place & {
  readonly parentHash: Hex;
  readonly part: number;
  readonly parts: number;
  readonly logs: readonly ChainLog[];
};

/**
 * Reads messages like stamping and verification: each id takes effect once, and only what follows is accepted.
 * @param inbox ids read before; those read now are added
 * @returns the blocks left after the messages
 * @throws Error when a message does not follow
 */
export function readChain(messages: readonly Published[], inbox = new Set<string>()): readonly ReadBlock[] {
  let blocks: ReadBlock[] = [];
  let at: Place | undefined;
  let open: Part | undefined;
  for (const { contract, id, data } of messages) {
    if (inbox.has(id)) continue;
    inbox.add(id);
    if (contract.type === 'BlockAppended') {
      const part = data as Part;
      const follows =
        open === undefined
          ? part.part === 1 && (at === undefined || (part.number === at.number + 1 && part.parentHash === at.hash))
          : part.hash === open.hash && part.part === open.part + 1;
      if (!follows) throw new Error(`block ${part.number} (part ${part.part}) does not follow block ${at?.number}`);
      const whole = { ...part, logs: [...(open?.logs ?? []), ...part.logs] };
      open = part.part < part.parts ? whole : undefined;
      if (open !== undefined) continue;
      at = part;
      blocks.push({ number: part.number, hash: part.hash, logs: whole.logs });
    } else if (contract.type === 'BlocksReverted') {
      const { ancestor, revertedHead } = data as { readonly ancestor: Place; readonly revertedHead: Place };
      if (revertedHead.hash !== at?.hash || ancestor.number >= at.number)
        throw new Error(`a revert from block ${revertedHead.number} does not fit block ${at?.number}`);
      at = ancestor;
      blocks = blocks.filter(({ number }) => number <= ancestor.number);
    }
  }
  return blocks;
}
