import { setTimeout as delay } from 'node:timers/promises';
import type { Hex } from '@indelible/identifiers';
import { estimateFees } from '../fees.ts';
import { getTransactionCount, sendRawTransaction } from '../reads/accounts.ts';
import { quantityOf } from '../reads/fields.ts';
import { getTransactionReceipt, type TransactionReceipt } from '../reads/transactions.ts';
import { isRpcError } from '../rpc/errors.ts';
import type { RpcMeaningKind } from '../rpc/node-answers.ts';
import type { Rpc } from '../rpc/port.ts';
import { signTransactionWithFees } from './sign.ts';

/** Null creates a contract; `value` in wei. */
export type Sending = { readonly to: Hex | null; readonly data: Hex; readonly value?: bigint };
export type SendingKey = { readonly address: Hex; readonly privateKey: Uint8Array };

const pollMs = 200;

/** A transaction that did not have its effect. */
export class SendError extends Error {
  readonly retryable = true;
  override readonly name = 'SendError';
}

/**
 * Sends one transaction with the next nonce and waits until it is in a block.
 * @throws SendError when it reverted or is in no block in time; RpcUnavailableError, RpcAnswerError
 */
export async function sendAndWait(
  rpc: Rpc,
  key: SendingKey,
  call: Sending,
  options: { readonly timeoutMs: number },
): Promise<TransactionReceipt> {
  const fields = {
    from: key.address,
    data: call.data,
    ...(call.to === null ? {} : { to: call.to }),
    ...(call.value === undefined ? {} : { value: quantityOf(call.value) }),
  };
  const [chainId, nonce, fees, gas] = await Promise.all([
    rpc.chainId(),
    getTransactionCount(rpc, key.address, 'pending'),
    estimateFees(rpc),
    rpc.call<Hex>('eth_estimateGas', [fields]),
  ]);
  const gasLimit = (BigInt(gas) * 12n) / 10n;
  const signed = signTransactionWithFees({ chainId, nonce, ...call, gasLimit }, fees, key.privateKey);
  await sendRawTransaction(rpc, signed.rawTransaction);
  return await waitForReceipt(rpc, signed.hash, options);
}

/** @throws SendError when the transaction reverted or is in no block in time */
export async function waitForReceipt(
  rpc: Rpc,
  hash: Hex,
  { timeoutMs }: { readonly timeoutMs: number },
): Promise<TransactionReceipt> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const receipt = await getTransactionReceipt(rpc, hash);
    if (receipt?.status === 'success') return receipt;
    if (receipt !== null) throw new SendError(`transaction ${hash} reverted`);
    if (performance.now() >= deadline)
      throw new SendError(`transaction ${hash} is in no block after ${Math.ceil(timeoutMs / 1000)} s`);
    await delay(pollMs);
  }
}

/**
 * Waits until none of the address's transactions is pending: their outcome decides what follows.
 * @throws SendError when one is in no block in time
 */
export async function waitForPending(rpc: Rpc, address: Hex, options: { readonly timeoutMs: number }): Promise<void> {
  const deadline = performance.now() + options.timeoutMs;
  for (;;) {
    const pending = await getTransactionCount(rpc, address, 'pending');
    const latest = await getTransactionCount(rpc, address, 'latest');
    if (pending <= latest) return;
    if (performance.now() >= deadline)
      throw new SendError(
        `the transaction of ${address} with nonce ${latest} is in no block after ${Math.ceil(options.timeoutMs / 1000)} s`,
      );
    await delay(pollMs);
  }
}

/** Another process has used the nonce, or is about to. */
const contention: ReadonlySet<RpcMeaningKind> = new Set(['accepted-already', 'nonce-used', 'underpriced-replacement']);

/**
 * Sends a transaction unless its effect is already there; another process with the same key may do so at the same time.
 * Sends nothing while one is pending.
 * @returns the receipt; undefined when it was done already, or another process did it
 * @throws SendError when it reverted or is in no block in time; RpcUnavailableError, RpcAnswerError
 */
export async function sendUnless(
  isDone: () => Promise<boolean>,
  rpc: Rpc,
  key: SendingKey,
  call: Sending,
  options: { readonly timeoutMs: number },
): Promise<TransactionReceipt | undefined> {
  const deadline = performance.now() + options.timeoutMs;
  for (;;) {
    const left = { timeoutMs: Math.max(0, deadline - performance.now()) };
    await waitForPending(rpc, key.address, left);
    if (await isDone()) return undefined;
    try {
      return await sendAndWait(rpc, key, call, left);
    } catch (error) {
      if (await isDone()) return undefined;
      if (!isRpcError(error) || !contention.has(error.meaning.kind) || performance.now() >= deadline) throw error;
      await delay(pollMs);
    }
  }
}
