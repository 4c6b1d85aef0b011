import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';

/** The source of all keys of one purpose: BIP-39 words, or a BIP-32 seed of 16 to 64 bytes. */
export type Secret =
  | { readonly seed: Uint8Array }
  | { readonly mnemonic: string; readonly passphrase?: string | undefined };

/** The private keys of a BIP-32 branch by index. */
export type KeyBranch = (index: number) => Uint8Array;

const firstHardened = 2 ** 31;

/**
 * Opens `m/44'/60'/<account>'/0`, the branch of Ethereum accounts (BIP-44).
 * @throws TypeError when the mnemonic is not one, or the seed has another length; its text is in no message
 */
export function openBranch(secret: Secret, account: number): KeyBranch {
  const branch = HDKey.fromMasterSeed(seedOf(secret)).derive(`m/44'/60'/${account}'/0`);
  return (index) => {
    if (!Number.isInteger(index) || index < 0 || index >= firstHardened)
      throw new RangeError('a key index is an integer from 0 to 2^31 - 1');
    const { privateKey } = branch.deriveChild(index);
    if (privateKey === null) throw new Error('the branch has no private keys');
    return privateKey;
  };
}

function seedOf(secret: Secret): Uint8Array {
  if ('seed' in secret) {
    if (secret.seed.length < 16 || secret.seed.length > 64) throw new TypeError('a seed has 16 to 64 bytes');
    return secret.seed;
  }
  const mnemonic = secret.mnemonic.trim().split(/\s+/).join(' ').toLowerCase();
  if (!validateMnemonic(mnemonic, wordlist)) throw new TypeError('the mnemonic is not valid');
  return mnemonicToSeedSync(mnemonic, secret.passphrase ?? '');
}
