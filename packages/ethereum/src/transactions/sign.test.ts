import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { computeAddress, SigningKey, Transaction, Wallet } from 'ethers';
import fc from 'fast-check';
import {
  addressOfPrivateKey,
  type Eip1559Transaction,
  type LegacyTransaction,
  signLegacyTransaction,
  signTransaction,
  signTransactionBy,
  signTransactionWithFees,
} from './sign.ts';

const hex = (bytes: Uint8Array): `0x${string}` => `0x${Buffer.from(bytes).toString('hex')}`;
const bytes = (minLength: number, maxLength: number) => fc.uint8Array({ minLength, maxLength });
const wei = fc.oneof(fc.constantFrom(0n, 1n, 127n, 128n, 255n, 256n), fc.bigInt(0n, 2n ** 96n));
const fields = {
  chainId: fc.constantFrom(1, 137, 31337, 2 ** 32, Number.MAX_SAFE_INTEGER),
  nonce: fc.oneof(fc.constantFrom(0, 1, 127, 128, 256), fc.nat()),
  to: fc.oneof(fc.constant(null), bytes(20, 20).map(hex)),
  // The lengths and bytes at which RLP changes its form.
  data: fc
    .tuple(fc.constantFrom(0, 1, 1, 2, 54, 55, 56, 57, 200, 255, 256, 65_535, 65_536), fc.nat({ max: 255 }))
    .map(([length, first]) => Buffer.alloc(length, first)),
  gasLimit: fc.bigInt(21_000n, 2n ** 40n),
  value: wei,
};
const key = bytes(32, 32).filter((candidate) => candidate[0] !== 0xff && candidate.some((byte) => byte !== 0));
const runs = { numRuns: 60 };

describe('signing', () => {
  it('gives the very bytes and hash of ethers, for transactions of type 2', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ ...fields, maxFeePerGas: wei, maxPriorityFeePerGas: wei }),
        key,
        async (tx, secret) => {
          if (tx.maxPriorityFeePerGas > tx.maxFeePerGas) tx.maxFeePerGas = tx.maxPriorityFeePerGas;
          const { rawTransaction, hash } = signTransaction(tx satisfies Eip1559Transaction, secret);
          const oracle = await new Wallet(hex(secret)).signTransaction({ ...tx, type: 2, data: hex(tx.data) });
          expect(rawTransaction).toBe(oracle);
          expect(hash).toBe(Transaction.from(oracle).hash);
        },
      ),
      runs,
    );
  });
  it('gives the very bytes and hash of ethers, for legacy transactions', async () => {
    await fc.assert(
      fc.asyncProperty(fc.record({ ...fields, gasPrice: wei }), key, async (tx, secret) => {
        const { rawTransaction, hash } = signLegacyTransaction(tx satisfies LegacyTransaction, secret);
        const oracle = await new Wallet(hex(secret)).signTransaction({ ...tx, type: 0, data: hex(tx.data) });
        expect(rawTransaction).toBe(oracle);
        expect(hash).toBe(Transaction.from(oracle).hash);
      }),
      runs,
    );
  });
  it('takes calldata of 128 KiB, as bytes or as hex, and gives the same hash each time (I3)', () => {
    const secret = randomBytes(32);
    const data = randomBytes(131_072);
    const tx = { chainId: 1, nonce: 5, to: null, data, gasLimit: 16_777_216 };
    const fees = { kind: 'eip1559', maxFeePerGas: 2n, maxPriorityFeePerGas: 1n } as const;
    const signed = signTransactionWithFees(tx, fees, secret);
    expect(signTransactionWithFees({ ...tx, data: hex(data) }, fees, secret)).toEqual(signed);
    expect(Transaction.from(signed.rawTransaction)).toMatchObject({ hash: signed.hash, data: hex(data) });
    const legacy = signTransactionWithFees(tx, { kind: 'legacy', gasPrice: 3n }, secret);
    expect(Transaction.from(legacy.rawTransaction)).toMatchObject({ type: 0, gasPrice: 3n });
  });
  it('by a key elsewhere gives the same bytes, and refuses what is no recoverable signature', async () => {
    await fc.assert(
      fc.asyncProperty(fc.record(fields), key, async (tx, secret) => {
        for (const fees of [
          { kind: 'eip1559', maxFeePerGas: 2n, maxPriorityFeePerGas: 1n },
          { kind: 'legacy', gasPrice: 3n },
        ] as const) {
          const elsewhere = async (digest: string) => {
            const { serialized } = new SigningKey(hex(secret)).sign(digest);
            return serialized as `0x${string}`;
          };
          expect(await signTransactionBy(tx, fees, elsewhere)).toEqual(signTransactionWithFees(tx, fees, secret));
        }
      }),
      runs,
    );
    const tx = { chainId: 1, nonce: 0, to: null, data: '0x', gasLimit: 21_000n } as const;
    for (const signature of ['0x', `0x${'11'.repeat(64)}`, `0x${'11'.repeat(64)}01`] as const)
      await expect(signTransactionBy(tx, { kind: 'legacy', gasPrice: 1n }, async () => signature)).rejects.toThrow(
        TypeError,
      );
  });
  it('gives the address of ethers for any key', () => {
    fc.assert(
      fc.property(key, (secret) => {
        expect(addressOfPrivateKey(secret)).toBe(computeAddress(hex(secret)).toLowerCase());
      }),
      runs,
    );
  });
  it('refuses what is no private key of the curve', () => {
    const order = Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex');
    const tx = { chainId: 1, nonce: 0, to: null, data: '0x', gasLimit: 21_000n } as const;
    for (const secret of [Buffer.alloc(32), order, Buffer.alloc(31, 1), Buffer.alloc(33, 1)]) {
      expect(() => signTransactionWithFees(tx, { kind: 'legacy', gasPrice: 1n }, secret)).toThrow(TypeError);
      expect(() => addressOfPrivateKey(secret)).toThrow(TypeError);
    }
  });
  it("signs for the key's address", () => {
    for (let i = 0; i < 10; i++) {
      const wallet = new Wallet(hex(randomBytes(32)));
      const address = addressOfPrivateKey(Buffer.from(wallet.privateKey.slice(2), 'hex'));
      expect(address).toBe(wallet.address.toLowerCase());
    }
  });
  it('refuses integers that are not exact or negative, and recipients that are none', () => {
    const tx = { chainId: 1, nonce: 0, to: null, data: '0x', gasLimit: 21_000n, maxFeePerGas: 1n } as const;
    const sign = (change: Partial<Eip1559Transaction>) => () =>
      signTransaction({ ...tx, maxPriorityFeePerGas: 1n, ...change }, randomBytes(32));
    expect(sign({ nonce: -1 })).toThrow(RangeError);
    expect(sign({ nonce: 0.5 })).toThrow(RangeError);
    expect(sign({ value: -1n })).toThrow(RangeError);
    expect(sign({ to: '0x1234' })).toThrow(TypeError);
    expect(sign({ data: '0x123' })).toThrow(TypeError);
  });
});
