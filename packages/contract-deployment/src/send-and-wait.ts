import { setTimeout as delay } from 'node:timers/promises';
import type { OperatorKey } from '@indelible/custody';
import {
  estimateFees,
  getTransactionCount,
  getTransactionReceipt,
  type Rpc,
  sendRawTransaction,
  signTransactionWithFees,
  type TransactionReceipt,
} from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';

export class DeploymentError extends Error {
  readonly retryable = true;
  override readonly name = 'DeploymentError';
}

/**
 * Sends one transaction of the operator and waits until it is in a block.
 * @throws DeploymentError when it reverted or is in no block in time
 */
export async function sendAndWait(
  rpc: Rpc,
  key: OperatorKey,
  call: { readonly to: Hex | null; readonly data: Hex },
  options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<TransactionReceipt> {
  const [chainId, nonce, fees, gas] = await Promise.all([
    rpc.chainId(),
    getTransactionCount(rpc, key.address, 'pending'),
    estimateFees(rpc),
    rpc.call<Hex>('eth_estimateGas', [
      { from: key.address, data: call.data, ...(call.to === null ? {} : { to: call.to }) },
    ]),
  ]);
  const gasLimit = (BigInt(gas) * 12n) / 10n;
  const signed = signTransactionWithFees(
    { chainId, nonce, to: call.to, data: call.data, gasLimit },
    fees,
    key.privateKey,
  );
  await sendRawTransaction(rpc, signed.rawTransaction);
  const deadline = performance.now() + options.timeoutMs;
  while (performance.now() < deadline) {
    const receipt = await getTransactionReceipt(rpc, signed.hash);
    if (receipt?.status === 'success') return receipt;
    if (receipt !== null) throw new DeploymentError(`transaction ${signed.hash} of the operator reverted`);
    await delay(200, undefined, options.signal === undefined ? {} : { signal: options.signal });
  }
  throw new DeploymentError(
    `transaction ${signed.hash} of the operator is in no block after ${options.timeoutMs / 1000} s`,
  );
}

/**
 * Waits until none of the address's transactions is pending: what follows is decided by what they have done.
 * @throws DeploymentError when one is in no block in time
 */
export async function waitForPending(rpc: Rpc, address: Hex, options: { readonly timeoutMs: number }): Promise<void> {
  const deadline = performance.now() + options.timeoutMs;
  for (;;) {
    const pending = await getTransactionCount(rpc, address, 'pending');
    const latest = await getTransactionCount(rpc, address, 'latest');
    if (pending <= latest) return;
    if (performance.now() >= deadline)
      throw new DeploymentError(
        `the transaction of ${address} with nonce ${latest} is in no block after ${options.timeoutMs / 1000} s`,
      );
    await delay(200);
  }
}
