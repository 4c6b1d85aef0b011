import { distinct, type ReceiptFields, receiptIn, type SeenEvent } from '../../public-events/support/public-event.ts';

/** The receipts of stamps that subscribers finally see as confirmed, for comparison with the chain's commitments. */
export function receiptsOfEvents(events: readonly SeenEvent[]): readonly string[] {
  const receipts = new Map<string, ReceiptFields>();
  for (const event of distinct(events)) {
    const receipt = receiptIn(event);
    if (event.name === 'stamp.confirmed' && receipt !== undefined) receipts.set(event.subject, receipt);
    if (event.name === 'stamp.reverted') receipts.delete(event.subject);
  }
  return [...receipts.values()]
    .map(({ transaction_hash, user_address, set_cid, object_cid, timestamp, chain_id }) =>
      JSON.stringify({ transaction_hash, user_address, set_cid, object_cid, timestamp, chain_id }),
    )
    .toSorted();
}
