import { getNonceAtHead, type Rpc } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import type { Logger } from '@indelible/service-runtime';
import type { SettleUsed } from './settle-used.ts';
import { loadUnincluded } from './unincluded.ts';

const atOnce = 64;

/**
 * Settles what a lane without a key has sent, as far as the chain decided it: that needs no signature (I6). Batches
 * with unused nonces stay as they are, since a block may take them at any time (I2). A replica that has the key may
 * safely do the same at the same time.
 */
export async function settleUnserved(
  parts: {
    readonly database: Pick<Database, 'query'>;
    readonly rpc: Rpc;
    readonly settleUsed: SettleUsed;
    readonly logger: Logger;
  },
  lane: Hex,
  signal: AbortSignal,
): Promise<void> {
  const { nonce, head } = await getNonceAtHead(parts.rpc, lane, { signal });
  for (let from = 0; !signal.aborted; ) {
    const transactions = await loadUnincluded(parts.database, lane, from, atOnce);
    const used = transactions.filter((one) => one.nonce < nonce);
    for (const transaction of used)
      await parts.settleUsed(transaction, { lane, head }, signal).catch((error: unknown) => {
        if (signal.aborted) return;
        const { batchId } = transaction;
        parts.logger.warn({ batchId, lane, err: error }, 'Batch of a lane without a key could not be settled');
      });
    const last = used.at(-1);
    if (last === undefined || used.length < atOnce) return;
    from = last.nonce + 1;
  }
}
