import { checksumAddress, type Hex, receiptTime } from '@indelible/identifiers';
import type { Receipt } from '@indelible/messages';
import { type Static, Type } from '@sinclair/typebox';
import { Ajv } from 'ajv';
import { Address, Block, Cid, ReceiptPlace } from './fields.ts';
import { type LookUpPorts, lookUpCommitments, maxCids } from './look-up-commitments.ts';

export const ListReceiptsRequest = Type.Object(
  {
    cids: Type.Array(Cid, { minItems: 1, maxItems: maxCids }),
    owner: Type.Optional(Address),
    minBlock: Type.Optional(Block),
    /** Receipts of the answer; without it all of them. */
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    /** As an answer to the same CIDs had it: the receipts after those of that answer. */
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })),
  },
  { additionalProperties: false },
);
export type ListReceiptsRequest = Static<typeof ListReceiptsRequest>;

/** Receipts of one statement: bounds the memory of an answer and how long it holds a connection. */
const receiptsPerPage = 1_000;

/**
 * The receipts of CIDs in the public API's fields, in the order of the CIDs, then by time, as the text of an object, a page at a time:
 * `{"stamp_list":[…]}`. With a limit it has the key `next_cursor`, null when there are no more. Each page is a statement of its own, so
 * that a slow reader holds no connection: a reorg may come between two of them.
 * @throws CursorError; UnavailableError before the first page, when the read model does not reach `minBlock` in time
 */
export async function* listReceipts(
  ports: LookUpPorts,
  request: ListReceiptsRequest,
): AsyncGenerator<string, void, undefined> {
  const { owner, minBlock, limit = Number.POSITIVE_INFINITY } = request;
  let cids = [...new Set(request.cids)];
  let after = request.cursor === undefined ? undefined : readCursor(request.cursor, cids);
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

/** The cursor is none, or of other CIDs. */
export class CursorError extends Error {
  readonly retryable = false;
  override readonly name = 'CursorError';
}

type Place = Static<typeof ReceiptPlace>;
const isPlace = new Ajv().compile<Place>(ReceiptPlace);

const placeOf = ({ objectCid, blockTime, chainId, blockNumber, logIndex }: Place): Place => ({
  objectCid,
  blockTime,
  chainId,
  blockNumber,
  logIndex,
});

const writeCursor = (last: Receipt): string => Buffer.from(JSON.stringify(placeOf(last))).toString('base64url');

function readCursor(cursor: string, cids: readonly Hex[]): Place {
  let place: unknown;
  try {
    place = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw new CursorError('cursor is not one that was returned');
  }
  if (!isPlace(place)) throw new CursorError('cursor is not one that was returned');
  if (!cids.includes(place.objectCid)) throw new CursorError('cursor was returned for other cids');
  return place;
}

/** The checksum of an address costs a hash: made once for those that follow each other. */
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
