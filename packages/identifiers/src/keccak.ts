import { createKeccak } from 'hash-wasm';

/** One instance is enough: a hash is begun and ended in the same call, and nothing else runs meanwhile. */
const hasher = await createKeccak(256);

/** Keccak-256 as Ethereum has it (SHA3-256 pads otherwise): 32 bytes of their own. */
export const keccak256 = (bytes: Uint8Array): Uint8Array => hasher.init().update(bytes).digest('binary');
