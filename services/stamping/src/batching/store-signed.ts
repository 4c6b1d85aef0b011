import { type Fees, type SignedTransaction, signTransactionBy } from '@indelible/ethereum';
import { type Hex, newId } from '@indelible/identifiers';
import type { Client } from '@indelible/postgres';
import { type NewBatch, storeBatch } from './batch-queries.ts';
import type { BatchTrace } from './batch-trace.ts';
import { type HeldLane, takeNonce } from './lane-lease.ts';

export type StoredBatch = {
  readonly batchId: string;
  readonly nonce: number;
  readonly gasLimit: number;
  readonly transaction: SignedTransaction;
  readonly trace: BatchTrace;
};

/**
 * Signs a call of the contract with the lane's next nonce, and stores transaction, nonce and items together (I3).
 * @throws LeaseLostError, SignerError
 */
export async function storeSigned(
  client: Client,
  { chainId, contract }: { readonly chainId: number; readonly contract: Hex },
  lease: HeldLane,
  fees: Fees,
  call: Pick<NewBatch, 'kind' | 'gasLimit' | 'stamps' | 'spending'> & {
    readonly data: Uint8Array | Hex;
    readonly trace: BatchTrace;
  },
): Promise<StoredBatch> {
  const nonce = await takeNonce(client, lease);
  const unsigned = { chainId, nonce, to: contract, data: call.data, gasLimit: call.gasLimit };
  const transaction = await signTransactionBy(unsigned, fees, lease.sign);
  const batchId = newId();
  const { kind, gasLimit, stamps, spending, trace } = call;
  const { traceparent } = trace;
  const batch = { id: batchId, chainId, lane: lease.lane, nonce, kind, gasLimit, stamps, spending, traceparent };
  await storeBatch(client, batch, transaction, fees);
  return { batchId, nonce, gasLimit, transaction, trace };
}
