import { bumpFees, type Fees, replaceTransaction, type SignedTransaction } from '@indelible/ethereum';
import type { Database } from '@indelible/postgres';
import { insertTransaction, lockNewest } from './batch-queries.ts';
import { holdLease, type LaneLease } from './lane-lease.ts';

/** Without a cap of its own, a lane offers at most so many times what the market asks for: a stuck node costs no fortune. */
const mostOverMarket = 10n;

/**
 * Stores a replacement of a batch's newest transaction: the same nonce and items, fees at least an eighth higher and as
 * the market asks (I3). It is stored before it is broadcast, as the first one was, and only by the lane's holder.
 * @returns `settled` when the batch needs none any more; `capped` when the cap leaves no room
 * @throws LeaseLostError
 */
export function storeReplacement(
  database: Pick<Database, 'transaction'>,
  lease: LaneLease & { readonly privateKey: Uint8Array },
  batchId: string,
  fees: { readonly market: Fees; readonly capPerGas: bigint | undefined },
): Promise<SignedTransaction | 'capped' | 'settled'> {
  return database.transaction(async (client) => {
    await holdLease(client, lease);
    const newest = await lockNewest(client, batchId);
    if (newest === undefined) return 'settled';
    const price = fees.market.kind === 'legacy' ? fees.market.gasPrice : fees.market.maxFeePerGas;
    const raised = bumpFees(newest.fees, fees.market, { capPerGas: fees.capPerGas ?? price * mostOverMarket });
    if (raised === 'capped') return 'capped';
    const replacement = replaceTransaction(newest.raw, raised, lease.privateKey);
    await insertTransaction(client, batchId, replacement, raised);
    return replacement;
  });
}
