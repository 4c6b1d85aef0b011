import { checksumAddress, type Hex, receiptTime } from '@indelible/identifiers';
import type { Receipt } from '@indelible/messages';
import { placeOf, readCursor, writeCursor } from '../decisions/receipt-cursor.ts';
import type { CommitmentQuery } from '../projections/commitments.ts';
import { type LookUpPorts, lookUpCommitments } from './look-up-commitments.ts';

export type ListReceiptsQuery = Pick<CommitmentQuery, 'cids' | 'owner' | 'minBlock'> & {
  /** Most receipts in the response; without it, all. */
  readonly limit?: number | undefined;
  /** From a response to the same CIDs: returns the receipts after it. */
  readonly cursor?: string | undefined;
};

/** Receipts per statement: bounds a response's memory, and how long it holds a connection. */
const receiptsPerPage = 1_000;

/**
 * The receipts of CIDs in the public API's fields, by the order of the CIDs, then by time, as the text of an object, a
 * page at a time: `{"stamp_list":[…]}`. With a limit it has the key `next_cursor`, null at the end. Each page is its
 * own statement, so that a slow reader holds no connection: a reorg may come in between.
 * @throws CursorError; UnavailableError before the first page, when the read model does not reach `minBlock` in time
 */
export async function* listReceipts(
  ports: LookUpPorts,
  query: ListReceiptsQuery,
): AsyncGenerator<string, void, undefined> {
  const { owner, minBlock, limit = Number.POSITIVE_INFINITY } = query;
  let cids = [...new Set(query.cids)];
  let after = query.cursor === undefined ? undefined : readCursor(query.cursor, cids);
  if (after !== undefined) cids = cids.slice(cids.indexOf(after.objectCid));
  const write = createReceiptWriter();
  let text = '{"stamp_list":[';
  for (let left = limit, isFirst = true; ; isFirst = false) {
    const wanted = Math.min(receiptsPerPage, left);
    const found = await lookUpCommitments(ports, { cids, owner, minBlock, after, limit: wanted + 1 });
    const page = found.slice(0, wanted);
    const last = page.at(-1);
    text += `${isFirst || page.length === 0 ? '' : ','}${page.map(write).join(',')}`;
    left -= page.length;
    const isMore = last !== undefined && found.length > wanted;
    if (!isMore || left === 0) {
      const next = isMore ? `"${writeCursor(last)}"` : 'null';
      yield `${text}]${limit === Number.POSITIVE_INFINITY ? '' : `,"next_cursor":${next}`}}`;
      return;
    }
    yield text;
    text = '';
    after = placeOf(last);
    cids = cids.slice(cids.indexOf(last.objectCid));
  }
}

/** An address checksum costs a hash: computed once for consecutive equal ones. */
function createReceiptWriter(): (receipt: Receipt) => string {
  let account: Hex | undefined;
  let address = '';
  return (receipt) => {
    if (receipt.account !== account) {
      account = receipt.account;
      address = checksumAddress(account);
    }
    const { transactionHash, setCid, objectCid, blockTime, chainId } = receipt;
    return `{"transaction_hash":"${transactionHash}","user_address":"${address}","set_cid":"${setCid}","object_cid":"${objectCid}","timestamp":"${receiptTime(blockTime)}","chain_id":${chainId}}`;
  };
}
