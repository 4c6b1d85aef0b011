import { type Hex, parseAddress } from '@indelible/identifiers';
import { parseBoolean } from '../../decisions/field-values.ts';
import { HttpError, invalid } from '../../errors/http-error.ts';
import type {
  CollectionFilter,
  CollectionLists,
  CollectionPlace,
  CollectionView,
} from '../../projections/collections.ts';
import { type Handler, JsonStream } from '../edge/call.ts';
import { collectionBody } from '../responses/collection.ts';

/** Collections per statement: bounds the memory of a list, whose descriptions may take 40 KB each. */
const pageSize = 100;

/**
 * GET /collections: the caller's own, or another account's public ones; newest first. A short list is sent at once, a
 * long one as it is read.
 */
export function listCollectionsRoute({
  accountExists,
  listCollections,
  findEndOfPage,
}: CollectionLists & { readonly accountExists: (account: Hex) => Promise<boolean> }): Handler {
  return async (call) => {
    const { user_address: given, is_pinned: pinned, limit: limitText, cursor } = call.query;
    const owner = given === undefined ? call.account : parseAddress(given);
    if (owner === undefined) throw invalid('user_address', 'must be an address, with a right checksum in mixed case');
    const after = cursor === undefined ? undefined : readCursor(cursor);
    if (owner !== call.account && !(await accountExists(owner)))
      throw new HttpError(404, 'User not found', { details: `user_address: ${given}` });
    const filter = {
      account: owner,
      onlyPublic: owner !== call.account,
      isPinned: pinned === undefined ? undefined : parseBoolean(pinned),
    };
    const limit = limitText === undefined ? Number.POSITIVE_INFINITY : Number(limitText);
    const first = await listCollections(filter, after, Math.min(limit, pageSize));
    const end = limitText === undefined ? undefined : await findEndOfPage(filter, after, limit);
    const link = end === undefined ? undefined : call.urlOf(`/collections?${nextQuery(call.query, end)}`);
    const isWhole = first.length < pageSize || first.length === limit;
    return {
      status: 200,
      body: isWhole ? first.map(collectionBody) : new JsonStream(texts(filter, first, limit)),
      ...(link === undefined ? {} : { headers: { Link: `<${link}>; rel="next"` } }),
    };
  };

  /** The list's JSON, a page of collections at a time. */
  async function* texts(
    filter: CollectionFilter,
    first: readonly CollectionView[],
    limit: number,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    let page = first;
    let left = limit;
    yield Buffer.from('[');
    for (let isFirst = true; page.length > 0; isFirst = false) {
      const items = page.map((view) => JSON.stringify(collectionBody(view))).join(',');
      yield Buffer.from(isFirst ? items : `,${items}`);
      left -= page.length;
      if (left === 0 || page.length < pageSize) break;
      page = await listCollections(filter, page.at(-1), Math.min(left, pageSize));
    }
    yield Buffer.from(']');
  }
}

const nextQuery = (query: Readonly<Record<string, string>>, end: CollectionPlace): string =>
  new URLSearchParams({ ...query, cursor: writeCursor(end) }).toString();

const writeCursor = ({ registeredAt, id }: CollectionPlace): string =>
  Buffer.from(`${registeredAt.getTime()}.${id}`).toString('base64url');

/** @throws HttpError 400 */
function readCursor(cursor: string): CollectionPlace {
  const [, time, id] = /^(\d{1,15})\.(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  const registeredAt = new Date(Number(time));
  if (time === undefined || Number.isNaN(registeredAt.getTime()))
    throw invalid('cursor', 'must be that of a Link with rel="next"');
  return { registeredAt, id: Number(id) };
}
