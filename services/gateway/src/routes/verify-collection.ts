import type { AccountSettings } from '@indelible/accounts';
import type { Hex } from '@indelible/identifiers';
import { parseBoolean } from '../decisions/field-values.ts';
import { type Call, type Handler, JsonStream } from '../http/call.ts';
import { invalid } from '../http/errors.ts';
import type { ChainHead } from '../neighbours/chain-head.ts';
import type { CollectionVerification } from '../neighbours/collection-verification.ts';
import { withTimezone } from '../responses/with-timezone.ts';
import type { NewestBlocks } from '../stamping/newest-block.ts';
import type { AskedCollection } from '../verifying/asked-collection.ts';
import { collectWhilePassing } from '../verifying/eager-collection.ts';
import { createObjectList } from '../verifying/object-list.ts';
import { readRequest } from '../verifying/read-request.ts';

/**
 * POST /collections/verify: the objects stream through to the verification service as they are read and checked, and
 * its answer streams back, once it holds all that this account was told of (I9). Nothing is kept of either.
 */
export function verifyCollectionRoute(options: {
  readonly verify: CollectionVerification;
  readonly newestBlocks: Pick<NewestBlocks, 'of'>;
  /** The CID of the account's newest collection. */
  readonly newestCollection: (account: Hex) => Promise<Hex | undefined>;
  readonly chainHead: ChainHead;
  readonly chainId: number;
  readonly settingsOf: (account: Hex) => Promise<AccountSettings | undefined>;
  readonly maxObjects: number;
  readonly maxBytes: number;
}): Handler {
  return async (call) => {
    const unmatchedReceipts = readUnmatchedReceipts(call.query);
    const [number, minCollection, settings] = await Promise.all([
      options.newestBlocks.of(call.account).then((newest) => newest ?? options.chainHead()),
      options.newestCollection(call.account),
      options.settingsOf(call.account),
    ]);
    const least = {
      unmatchedReceipts,
      minBlock: { chainId: options.chainId, number },
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
    let asked: AskedCollection;
    for (;;) {
      const { done, value } = await read.next();
      if (done === true) {
        asked = value;
        break;
      }
      passed(value.length);
      yield value;
    }
    const last = {
      end: true,
      name: asked.name?.name ?? null,
      folded: asked.name?.folded ?? null,
      owner: asked.owner,
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
