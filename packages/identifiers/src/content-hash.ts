import { createHash, type Hash } from 'node:crypto';
import type { Hex } from './hex.ts';

/** The CID of a whole buffer. */
export const cidOfContent = (content: string | Uint8Array): Hex =>
  `0x${createHash('sha3-256').update(content).digest('hex')}`;

/** A running SHA3-256 for content that arrives in pieces. */
export const startContentHash = (): Hash => createHash('sha3-256');

export const cidOfHash = (hash: Hash): Hex => `0x${hash.digest('hex')}`;
