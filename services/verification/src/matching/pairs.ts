import { type Hex, zeroCid } from '@indelible/identifiers';

/** The distinct (CID, instant) pairs submitted, each with its count. */
export const pairsQuery = `select cid, instant, count(*) as times from pg_temp.submitted group by cid, instant`;

const hexDigits = /^0x(?:[0-9a-f]{2})*$/;

/**
 * Bytes as a literal: COPY takes no parameters, and the planner knows their statistics.
 * @throws TypeError when `hex` is anything but lower-case hex digits
 */
export function literalOf(hex: Hex): string {
  if (!hexDigits.test(hex)) throw new TypeError('not lower-case hex digits');
  return `'\\x${hex.slice(2)}'::bytea`;
}

export const zeroSet = literalOf(zeroCid);

/** A set of an owner. */
export type SetOfOwner = { readonly account: Hex; readonly setCid: Hex };

export const isOfSet = ({ account, setCid }: SetOfOwner): string =>
  `set_cid = ${literalOf(setCid)} and user_address = ${literalOf(account)}`;

/** Block and log index as one number, since a sort by one is twice as fast; a block has fewer than 2^20 logs. */
export const inSecond = '(block_number << 20 | log_index)';
