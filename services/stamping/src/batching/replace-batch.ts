import type { SignedTransaction } from '@indelible/ethereum';
import { bumpFees, type Fees, fieldsOfSigned, lowerFees, priceOf, signTransactionBy } from '@indelible/ethereum';
import type { Database } from '@indelible/postgres';
import { insertTransaction } from './batch-queries.ts';
import { type HeldLane, holdLease } from './lane-lease.ts';
import { loadCommitted, lockNewest, type NewestTransaction } from './unincluded.ts';

/** Highest offer, as a multiple of the market price: a stuck node costs no fortune. */
const mostOverMarket = 10n;
/** An empty transfer takes 21,000; chains that include the cost of data in gas take more. */
const emptyGasLimit = 100_000;

/**
 * How a stored transaction is signed again, with the same nonce:
 * - `raise`: it has waited too long, or offers too little.
 * - `afford`: the lane cannot pay it: use the market price, or what the lane can pay.
 * - `lower`: nodes refuse its possible cost.
 * - `refit`: no node takes its gas limit.
 * - `empty`: no node will ever take it: an empty transfer uses the nonce, and the items wait for another batch once
 *   that is final. It never carries other items (I3).
 */
export type Change =
  | { readonly how: 'raise' | 'afford' | 'lower' | 'empty' }
  | { readonly how: 'refit'; readonly gasLimit: bigint };

/**
 * `obsolete`: none needed; `capped`: the fee cap leaves no room; `unaffordable`: the lane cannot pay it; `unsigned`:
 * the signer fails.
 */
export type Replaced = SignedTransaction | 'obsolete' | 'capped' | 'unaffordable' | 'unsigned';

export type Offer = {
  readonly market: Fees;
  readonly capPerGas: bigint;
  /** The lane's balance. */
  readonly balanceWei: bigint;
};

/**
 * Stores another version of a batch's newest transaction: same nonce, and the same items or none (I3). Like the first
 * one it is stored before it is broadcast, and only by the lane's holder. Older versions stay: a node may have them.
 * @throws LeaseLostError, SignerError
 */
export function storeReplacement(
  database: Pick<Database, 'transaction'>,
  lease: HeldLane,
  place: { readonly batchId: string; readonly chainId: number },
  change: Change,
  offer: Offer,
): Promise<Exclude<Replaced, 'unsigned'>> {
  return database.transaction(async (client) => {
    await holdLease(client, lease);
    const newest = await lockNewest(client, place.batchId);
    if (newest === undefined) return 'obsolete';
    const gasLimit = gasLimitAfter(newest, change);
    const left = offer.balanceWei - (await loadCommitted(client, lease.lane, newest.nonce));
    const fees = feesAfter(newest.fees, change, offer, left / gasLimit);
    if (fees === 'capped' || fees === 'unaffordable') return fees;
    const isEmpty = change.how === 'empty';
    const fields = isEmpty
      ? { chainId: place.chainId, nonce: newest.nonce, to: lease.lane, data: '0x' as const }
      : fieldsOfSigned(newest.raw);
    const signed = await signTransactionBy({ ...fields, gasLimit }, fees, lease.sign);
    await insertTransaction(client, place.batchId, signed, fees, {
      version: newest.version + 1,
      isEmpty: isEmpty || newest.isEmpty,
    });
    if (gasLimit !== newest.gasLimit)
      await client.query('update batches set gas_limit = $2 where id = $1', [place.batchId, Number(gasLimit)]);
    return signed;
  });
}

function gasLimitAfter(newest: NewestTransaction, change: Change): bigint {
  if (change.how === 'refit') return change.gasLimit;
  return change.how === 'empty' ? BigInt(emptyGasLimit) : newest.gasLimit;
}

/** @param affordable what the lane can pay per unit of this transaction's gas */
function feesAfter(
  previous: Fees,
  { how }: Pick<Change, 'how'>,
  { market, capPerGas }: Pick<Offer, 'market' | 'capPerGas'>,
  affordable: bigint,
): Fees | 'capped' | 'unaffordable' {
  const overMarket = priceOf(market) * mostOverMarket;
  if (how === 'afford' || how === 'lower') {
    const lowered = lowerFees(market, how === 'afford' ? affordable : (priceOf(previous) * 3n) / 4n);
    return lowered === 'too-little' || priceOf(lowered) >= priceOf(previous) ? 'unaffordable' : lowered;
  }
  const raised = bumpFees(previous, market, { capPerGas: overMarket < capPerGas ? overMarket : capPerGas });
  // A node that has an older version takes no cheaper one for the nonce; if none has, the market price will do.
  const fees = raised === 'capped' && how !== 'raise' ? market : raised;
  if (fees === 'capped') return fees;
  return priceOf(fees) > affordable ? 'unaffordable' : fees;
}
