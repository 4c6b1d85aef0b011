import type { Hex } from '@indelible/identifiers';
import { sendRawTransaction } from '../reads/accounts.ts';
import { meaningOf } from '../rpc/errors.ts';
import type { RpcMeaning } from '../rpc/node-answers.ts';
import type { Rpc, RpcCallOptions } from '../rpc/port.ts';
import type { SignedTransaction } from './sign.ts';

/** A broadcast's outcome at the endpoint with the best answer; the error is for the log. */
export type BroadcastOutcome = { readonly kind: 'accepted' } | (RpcMeaning & { readonly error: unknown });

/**
 * Sends a signed transaction to every healthy endpoint. If a node returns another hash than the transaction's, the
 * outcome is unknown.
 * @throws the signal's reason, and nothing else
 */
export async function broadcastTransaction(
  rpc: Rpc,
  transaction: SignedTransaction,
  options?: RpcCallOptions,
): Promise<BroadcastOutcome> {
  let returned: Hex;
  try {
    returned = await sendRawTransaction(rpc, transaction.rawTransaction, options);
  } catch (error) {
    if (options?.signal?.aborted) throw error;
    return { ...meaningOf(error), error };
  }
  if (returned === transaction.hash.toLowerCase()) return { kind: 'accepted' };
  return { kind: 'unknown-outcome', error: new Error('the node named the hash of another transaction') };
}
