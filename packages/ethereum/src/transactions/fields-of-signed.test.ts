import { describe, expect, it } from '@jest/globals';
import { Transaction } from 'ethers';
import type { Fees } from '../fees.ts';
import { fieldsOfSigned } from './fields-of-signed.ts';
import { signTransactionWithFees } from './sign.ts';

const key = new Uint8Array(32).fill(7);
const kinds: Fees[] = [
  { kind: 'eip1559', maxFeePerGas: 30n * 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n },
  { kind: 'legacy', gasPrice: 30n * 10n ** 9n },
];
const transactions = [0, 1, 55, 56, 300, 70_000].map((length, i) => ({
  chainId: [1, 31_337, 42_161][i % 3] as number,
  nonce: i === 0 ? 0 : 130 * i,
  to: i === 3 ? null : (`0x${'5a'.repeat(20)}` as const),
  data: new Uint8Array(length).fill(0xab),
  gasLimit: 21_000 + length * 16,
  ...(i === 4 ? { value: 10n ** 18n } : {}),
}));

describe('a transaction signed again', () => {
  it.each(kinds.flatMap((fees) => transactions.map((fields) => ({ fees, fields, bytes: fields.data.length }))))(
    'of $fees.kind with $bytes bytes carries the same nonce and items, and other fees alone (I3; ethers is the oracle)',
    ({ fees, fields }) => {
      const { rawTransaction } = signTransactionWithFees(fields, fees, key);
      const raised: Fees =
        fees.kind === 'legacy'
          ? { kind: 'legacy', gasPrice: fees.gasPrice * 2n }
          : { ...fees, maxFeePerGas: fees.maxFeePerGas * 2n, maxPriorityFeePerGas: fees.maxPriorityFeePerGas * 2n };
      const replacement = signTransactionWithFees(fieldsOfSigned(rawTransaction), raised, key);
      const replaced = Transaction.from(replacement.rawTransaction);
      const original = Transaction.from(rawTransaction);
      const kept = (tx: Transaction) => [tx.nonce, tx.to, tx.data, tx.gasLimit, tx.value, tx.chainId, tx.from, tx.type];
      expect(kept(replaced)).toEqual(kept(original));
      expect(replaced.hash).not.toBe(original.hash);
      if (raised.kind === 'legacy') expect(replaced.gasPrice).toBe(raised.gasPrice);
      else expect(replaced).toMatchObject({ maxFeePerGas: raised.maxFeePerGas });
    },
  );

  it('of bytes that are no signed transaction is refused', () => {
    const { rawTransaction } = signTransactionWithFees(transactions[4]!, kinds[0]!, key);
    for (const raw of [
      '0x',
      '0x01c0',
      '0x02c0',
      `${rawTransaction}00`,
      rawTransaction.slice(0, -2),
      '0x02f8ff',
    ] as const)
      expect(() => fieldsOfSigned(raw as `0x${string}`)).toThrow(TypeError);
  });
});
