import { type IncomingMessage, isMessage } from '@indelible/kafka';
import {
  BlockAppended,
  type BlocksFinalized,
  BlocksReverted,
  BlocksSafe,
  type ChainPosition,
  rewound,
  wayOfBlock,
  wayOfMark,
  wayOfRevert,
} from '@indelible/messages';
import type { Cursor } from './cursor.ts';

export type ChainFact =
  | IncomingMessage<typeof BlockAppended>
  | IncomingMessage<typeof BlocksReverted>
  | IncomingMessage<typeof BlocksSafe>
  | IncomingMessage<typeof BlocksFinalized>;

/** What a fact of the chain means at a cursor. */
export type Step =
  /** It follows: its effect, and the cursor after it. */
  | { readonly kind: 'apply'; readonly cursor: Cursor }
  /** Takes back all above the position; with `missing`, a revert was lost, and the fact itself is dropped. */
  | { readonly kind: 'revert'; readonly position: ChainPosition; readonly missing?: number }
  /** Earlier blocks were never read; `from` is the first. */
  | { readonly kind: 'missing'; readonly from: number }
  | { readonly kind: 'drop' };

const drop: Step = { kind: 'drop' };

/** Compares a fact with the cursor: facts read before are dropped, and a gap never stops later facts (I11). */
export function stepOf(cursor: Cursor, fact: ChainFact): Step {
  if (isMessage(fact, BlockAppended)) {
    const { number, hash, part, parts } = fact.data;
    const way = wayOfBlock(cursor.position, fact.data);
    if (way.kind !== 'follows') return notFollowing(cursor, way);
    return { kind: 'apply', cursor: { ...cursor, position: { number, hash, part, complete: part === parts } } };
  }
  if (isMessage(fact, BlocksReverted)) {
    const way = wayOfRevert(cursor.position, fact.data);
    if (way.kind !== 'follows') return notFollowing(cursor, way);
    return { kind: 'revert', position: { ...fact.data.ancestor, part: 1, complete: true } };
  }
  const way = wayOfMark(cursor.position, fact.data);
  if (way.kind !== 'follows') return notFollowing(cursor, way);
  const { number } = fact.data;
  // What is final is safe as well.
  const safe = Math.max(cursor.safe, number);
  const finalized = isMessage(fact, BlocksSafe) ? cursor.finalized : Math.max(cursor.finalized, number);
  return { kind: 'apply', cursor: { ...cursor, safe, finalized } };
}

function notFollowing(cursor: Cursor, way: ReturnType<typeof wayOfBlock>): Step {
  if (way.kind === 'gap') return { kind: 'missing', from: way.from };
  if (way.kind === 'known' || cursor.position === undefined) return drop;
  const position = rewound(cursor.position, cursor.finalized);
  return { kind: 'revert', position, missing: position.number + 1 };
}
