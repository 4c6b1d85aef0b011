import { estimateGas, fieldsOfSigned, isRpcError, type Rpc } from '@indelible/ethereum';
import { type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Change } from './replace-batch.ts';
import type { UnincludedTransaction } from './unincluded.ts';

/**
 * What is done about a transaction that every node refuses for good: at first it is signed with the gas that a node says it
 * needs; when that does not help, or cannot be, and it is overdue, it gives its nonce to an empty one.
 */
export function createRefitting(options: {
  readonly rpc: Rpc;
  /** The most gas that a transaction may have as its limit. */
  readonly maxGas: (signal: AbortSignal) => Promise<number>;
}) {
  /** Those that were given other gas by this process: a second time would change nothing. */
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

  /** What a node says that it needs, and a quarter more; undefined where that is more than a transaction may have. */
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
