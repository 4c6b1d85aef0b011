import { setTimeout as delay } from 'node:timers/promises';
import { decodeDelegatedAuthority, encodeDelegatedAuthority } from '@indelible/commitment-contract';
import { ethCall, type Rpc } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import { isRetryable } from '@indelible/service-runtime';

/**
 * Waits until the user's grant to the operator is on the chain, at most `timeoutMs`; temporary faults are retried.
 * @returns whether it is there
 * @throws RpcAnswerError when the node refuses the request for good; the signal's reason when it aborts
 */
export async function waitForGrant(options: {
  readonly rpc: Rpc;
  readonly contract: Hex;
  readonly user: Hex;
  readonly operator: Hex;
  readonly timeoutMs: number;
  readonly pollIntervalMs?: number;
  readonly signal?: AbortSignal;
}): Promise<boolean> {
  const { rpc, contract, user, operator, pollIntervalMs = 500 } = options;
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal === undefined ? deadline : AbortSignal.any([deadline, options.signal]);
  const question = { to: contract, data: encodeDelegatedAuthority({ user, delegate: operator }) };
  for (;;) {
    try {
      if (decodeDelegatedAuthority(await ethCall(rpc, question, 'latest', { signal }))) return true;
      await delay(pollIntervalMs, undefined, { signal });
    } catch (error) {
      options.signal?.throwIfAborted();
      if (deadline.aborted) return false;
      if (!isRetryable(error)) throw error;
      await delay(pollIntervalMs, undefined, { signal }).catch(() => {});
    }
  }
}
