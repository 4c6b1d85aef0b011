import type { AccountSettings } from '@indelible/accounts';
import type { Hex } from '@indelible/identifiers';
import { parseBoolean } from '../../decisions/field-values.ts';
import { invalid } from '../../errors/http-error.ts';
import type { CollectionVerification } from '../../neighbours/verification.ts';
import type { NewestBlocks } from '../../use-cases/stamping/newest-block.ts';
import { type Call, type Handler, JsonStream } from '../edge/call.ts';
import { withTimezone } from '../responses/with-timezone.ts';
import { createObjectList } from '../verify-requests/object-list.ts';
import { readRequest } from '../verify-requests/read-request.ts';

/**
 * POST /collections/verify: objects stream to the verification service as they are read and checked, and its response
 * streams back, once it includes all that this account was notified of (I9). Neither is kept.
 */
export function verifyCollectionRoute(options: {
  readonly verify: CollectionVerification;
  readonly newestBlocks: Pick<NewestBlocks, 'minBlockFor'>;
  /** The CID of the account's newest collection. */
  readonly newestCollection: (account: Hex) => Promise<Hex | undefined>;
  readonly settingsOf: (account: Hex) => Promise<AccountSettings | undefined>;
  readonly maxObjects: number;
  readonly maxBytes: number;
}): Handler {
  return async (call) => {
    const unmatchedReceipts = readUnmatchedReceipts(call.query);
    const [minBlock, minCollection, settings] = await Promise.all([
      options.newestBlocks.minBlockFor(call.account),
      options.newestCollection(call.account),
      options.settingsOf(call.account),
    ]);
    const least = {
      unmatchedReceipts,
      minBlock,
      ...(minCollection === undefined ? {} : { minCollection }),
    };
    const answer = await options.verify(call.account, linesOf(call, least), call.gone);
    return { status: 200, body: new JsonStream(withTimezone(answer, settings?.displayTimezone ?? 'UTC')) };
  };

  /** The request as lines: its objects, and last the question, which may follow the objects in a JSON body. */
  async function* linesOf(call: Call, least: object): AsyncGenerator<string, void, undefined> {
    const objects = createObjectList(options.maxObjects);
    const requested = yield* readRequest(call, objects, options.maxBytes);
    const last = {
      end: true,
      name: requested.name?.name ?? null,
      folded: requested.name?.folded ?? null,
      owner: requested.owner,
      ...least,
    };
    yield `${JSON.stringify(last)}\n`;
  }
}

/** @throws HttpError 400 */
function readUnmatchedReceipts({ unmatched_receipts: given }: Call['query']): boolean {
  const wanted = given === undefined ? true : parseBoolean(given);
  if (wanted === undefined) throw invalid('unmatched_receipts', 'must be true or false');
  return wanted;
}
