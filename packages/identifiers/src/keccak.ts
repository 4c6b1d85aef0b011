import { createKeccak } from 'hash-wasm';

/** One instance is enough: a hash starts and ends in the same synchronous call. */
const hasher = await createKeccak(256);

/** Ethereum's Keccak-256 (SHA3-256 pads differently): 32 newly allocated bytes. */
export const keccak256 = (bytes: Uint8Array): Uint8Array => hasher.init().update(bytes).digest('binary');
