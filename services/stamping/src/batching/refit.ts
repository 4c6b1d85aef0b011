import { estimateGas, fieldsOfSigned, isRpcError, type Rpc } from '@indelible/ethereum';
import { type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Change } from './replace-batch.ts';
import type { UnincludedTransaction } from './unincluded.ts';

/**
 * Handles a transaction that every node permanently refuses. First it is signed with the gas that a node estimates;
 * when that does not help or is not possible, and it is overdue, an empty transaction takes its nonce.
 */
export function createRefitting(options: {
  readonly rpc: Rpc;
  /** The highest gas limit a transaction may have. */
  readonly maxGas: (signal: AbortSignal) => Promise<number>;
}) {
  /** Those whose gas this process already changed: a second time would change nothing. */
  const refitted = new Set<string>();

  return {
    async changeOf(
      transaction: UnincludedTransaction,
      { lane, isOverdue }: { readonly lane: Hex; readonly isOverdue: boolean },
      signal: AbortSignal,
    ): Promise<Change | undefined> {
      const { batchId, isEmpty } = transaction;
      if (isEmpty) return undefined;
      if (!refitted.has(batchId)) {
        const gasLimit = await fittingGas(transaction, lane, signal);
        if (refitted.size >= 10_000) refitted.clear();
        refitted.add(batchId);
        if (gasLimit !== undefined) return { how: 'refit', gasLimit };
      }
      return isOverdue ? { how: 'empty' } : undefined;
    },
  };

  /** A node's estimate plus a quarter; undefined where that is over the limit of a transaction. */
  async function fittingGas(
    { raw }: UnincludedTransaction,
    lane: Hex,
    signal: AbortSignal,
  ): Promise<bigint | undefined> {
    const { to, data, gasLimit: before } = fieldsOfSigned(raw);
    if (to === null) return undefined;
    const most = BigInt(await options.maxGas(signal));
    try {
      const call = { from: lane, to, data: typeof data === 'string' ? data : hexOfBytes(data) };
      const needed = await estimateGas(options.rpc, call, { signal });
      const roomy = (needed * 5n) / 4n;
      const gasLimit = roomy > most && needed <= most ? most : roomy;
      return gasLimit > most || gasLimit === BigInt(before) ? undefined : gasLimit;
    } catch (error) {
      if (isRpcError(error) && !error.retryable) return undefined;
      throw error;
    }
  }
}
