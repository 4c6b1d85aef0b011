import type { Hex } from '@indelible/identifiers';

/** A commitment with its place; block time in seconds. */
export type Commitment = {
  readonly blockNumber: number;
  readonly logIndex: number;
  readonly blockHash: Hex;
  readonly blockTime: number;
  readonly transactionHash: Hex;
  readonly account: Hex;
  readonly setCid: Hex;
  readonly objectCid: Hex;
};

const names = {
  blockHash: 'block hash',
  blockTime: 'block time',
  transactionHash: 'transaction',
  account: 'account',
  setCid: 'set',
  objectCid: 'object',
} as const satisfies Partial<Record<keyof Commitment, string>>;

/** The names of the fields in which two commitments of one place differ. */
export const differingFields = (one: Omit<Commitment, 'blockNumber'>, other: typeof one): readonly string[] =>
  (Object.keys(names) as (keyof typeof names)[])
    .filter((field) => one[field] !== other[field])
    .map((field) => names[field]);

export const byPlace = (
  one: Pick<Commitment, 'blockNumber' | 'logIndex'>,
  other: Pick<Commitment, 'blockNumber' | 'logIndex'>,
): number => one.blockNumber - other.blockNumber || one.logIndex - other.logIndex;
