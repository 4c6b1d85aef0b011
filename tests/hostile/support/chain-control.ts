import { eventually, type TestAnvil } from '@indelible/testing';
import type { ContractStack } from '../../contract/support/contract-stack.ts';

export const gwei = 1_000_000_000n;
export const hex = (value: bigint | number): string => `0x${value.toString(16)}`;

/** No block comes while `work` runs, but those that it mines. */
export async function whileChainStands<Result>(anvil: TestAnvil, work: () => Promise<Result>): Promise<Result> {
  await anvil.request('evm_setIntervalMining', [0]);
  try {
    return await work();
  } finally {
    await anvil.request('evm_setIntervalMining', [1]);
  }
}

export type PooledTransaction = {
  readonly hash: string;
  readonly batchId: string;
  readonly from: string;
  readonly nonce: string;
};

/** The transaction that will record a stamp, once the node has it. */
export function pooledTransactionOf(stack: ContractStack, stampId: unknown): Promise<PooledTransaction> {
  return eventually(async () => {
    const { rows } = await stack.pool.query<{ hash: string; batch_id: string }>(
      `select '0x' || encode(t.hash, 'hex') as hash, b.id as batch_id
       from stamping.batches b join stamping.transactions t on t.batch_id = b.id
       where b.status = 'signed' and $1::uuid = any(b.stamp_ids)`,
      [stampId],
    );
    for (const { hash, batch_id: batchId } of rows) {
      const pooled = await stack.anvil.request<PooledTransaction | null>('eth_getTransactionByHash', [hash]);
      if (pooled !== null) return { hash, batchId, from: pooled.from, nonce: pooled.nonce };
    }
    throw new Error('no node has the transaction');
  });
}

/** A transaction of any address, before all others in the pool: the next block has it. */
export async function sendAs(
  anvil: TestAnvil,
  from: string,
  transaction: Readonly<Record<string, string>>,
): Promise<string> {
  const fee = hex(1_000n * gwei);
  await anvil.request('anvil_impersonateAccount', [from]);
  try {
    return await anvil.request<string>('eth_sendTransaction', [
      { from, gas: '0x30d40', maxFeePerGas: fee, maxPriorityFeePerGas: fee, ...transaction },
    ]);
  } finally {
    await anvil.request('anvil_stopImpersonatingAccount', [from]);
  }
}
