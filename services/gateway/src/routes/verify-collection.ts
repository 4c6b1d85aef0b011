import type { AccountSettings } from '@indelible/accounts';
import type { Hex } from '@indelible/identifiers';
import { parseBoolean } from '../decisions/field-values.ts';
import { type Call, type Handler, JsonStream } from '../http/call.ts';
import { invalid } from '../http/errors.ts';
import type { CollectionVerification } from '../neighbours/collection-verification.ts';
import { withTimezone } from '../responses/with-timezone.ts';
import type { NewestBlocks } from '../stamping/newest-block.ts';
import { collectWhilePassing } from '../verifying/eager-collection.ts';
import { createObjectList } from '../verifying/object-list.ts';
import { readRequest } from '../verifying/read-request.ts';
import type { RequestedCollection } from '../verifying/requested-collection.ts';

/**
 * POST /collections/verify: the objects stream through to the verification service as they are read and checked, and
 * its answer streams back, once it includes all that this account was notified of (I9). Nothing of either is kept.
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
    const collecting = collectWhilePassing();
    // Also when the answer is never read.
    call.gone.addEventListener('abort', collecting.end, { once: true });
    try {
      const answer = await options.verify(call.account, linesOf(call, least, collecting.passed), call.gone);
      const shown = withTimezone(answer, settings?.displayTimezone ?? 'UTC');
      return { status: 200, body: new JsonStream(noted(shown, collecting)) };
    } catch (error) {
      collecting.end();
      throw error;
    }
  };

  /** The request as lines: its objects, and last what is requested of them, which a JSON body may say after them. */
  async function* linesOf(
    call: Call,
    least: object,
    passed: (bytes: number) => void,
  ): AsyncGenerator<string, void, undefined> {
    const objects = createObjectList(options.maxObjects);
    const read = readRequest(call, objects, options.maxBytes);
    let requested: RequestedCollection;
    for (;;) {
      const { done, value } = await read.next();
      if (done === true) {
        requested = value;
        break;
      }
      passed(value.length);
      yield value;
    }
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

async function* noted(
  chunks: AsyncIterable<Uint8Array>,
  { passed, end }: ReturnType<typeof collectWhilePassing>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const chunk of chunks) {
      passed(chunk.length);
      yield chunk;
    }
  } finally {
    end();
  }
}
