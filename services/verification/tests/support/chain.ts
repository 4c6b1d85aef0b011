import { createHash, randomUUID } from 'node:crypto';
import type { Hex } from '@indelible/identifiers';
import type { ChainLog } from '@indelible/messages';
import type { ChainMessage } from '../../src/decisions/follow-chain.ts';

export const chainId = 31_337;

/** The same hash for the same words. */
export const hash = (words: string): Hex => `0x${createHash('sha256').update(words).digest('hex')}`;
export const user = (name: string): Hex => hash(name).slice(0, 42) as Hex;

export type Message = ChainMessage & { readonly id: string };

export const commitment = (logIndex: number, owner: string, set: string | undefined, object: string): ChainLog => ({
  kind: 'object',
  transactionHash: hash(`tx of ${owner} ${set} ${object}`),
  logIndex,
  user: user(owner),
  ...(set === undefined ? {} : { setCid: hash(set) }),
  objectCid: hash(object),
});

/** A block of a fork; block 1 of every fork follows block 0 of `main`. */
export function block(
  number: number,
  logs: readonly ChainLog[] = [],
  options: { fork?: string; parent?: string; part?: number; parts?: number; chainId?: number } = {},
): Message {
  const { fork = 'main', parent = fork, part = 1, parts = 1 } = options;
  return {
    id: randomUUID(),
    type: 'BlockAppended',
    data: {
      chainId: options.chainId ?? chainId,
      number,
      hash: hash(`${fork} ${number}`),
      parentHash: hash(`${parent} ${number - 1}`),
      time: 1_700_000_000 + number,
      part,
      parts,
      logs: [...logs],
    },
  };
}

export const revert = (ancestor: number, head: number, fork = 'main'): Message => ({
  id: randomUUID(),
  type: 'BlocksReverted',
  data: {
    chainId,
    ancestor: { number: ancestor, hash: hash(`${fork} ${ancestor}`) },
    revertedHead: { number: head, hash: hash(`${fork} ${head}`) },
  },
});

export const finalize = (number: number): Message => ({
  id: randomUUID(),
  type: 'BlocksFinalized',
  data: { chainId, number, hash: hash(`main ${number}`) },
});
