import type { AccountSettings } from '@indelible/accounts';
import type { Hex } from '@indelible/identifiers';
import { collectEagerly, UnavailableError } from '@indelible/service-runtime';
import { type Call, type Handler, JsonStream } from '../http/call.ts';
import type { ChainHead } from '../neighbours/chain-head.ts';
import type { CollectionVerification } from '../neighbours/collection-verification.ts';
import type { NewestBlocks } from '../stamping/newest-block.ts';
import type { AskedCollection } from '../verifying/asked-collection.ts';
import { createObjectList } from '../verifying/object-list.ts';
import { readRequest } from '../verifying/read-request.ts';

/**
 * POST /collections/verify: the objects stream through to the verification service as they are read and checked, and
 * its answer streams back, once it knows all that this account was told (I9). Nothing is kept of either.
 */
export function verifyCollectionRoute(options: {
  readonly verify: CollectionVerification;
  readonly newestBlocks: Pick<NewestBlocks, 'of'>;
  readonly chainHead: ChainHead;
  readonly chainId: number;
  readonly settingsOf: (account: Hex) => Promise<AccountSettings | undefined>;
  readonly maxObjects: number;
  readonly maxBytes: number;
}): Handler {
  return async (call) => {
    const [number, settings] = await Promise.all([
      options.newestBlocks.of(call.account).then((newest) => newest ?? options.chainHead()),
      options.settingsOf(call.account),
    ]);
    const minBlock = { chainId: options.chainId, number };
    const release = isLarge(call) ? collectEagerly() : () => {};
    // Also when the answer is never read.
    call.gone.addEventListener('abort', release, { once: true });
    try {
      const answer = await options.verify(linesOf(call, minBlock), call.gone);
      const shown = withTimezone(answer, settings?.displayTimezone ?? 'UTC');
      return { status: 200, body: new JsonStream(andThen(shown, release)) };
    } catch (error) {
      release();
      throw error;
    }
  };

  /** The request as lines: its objects, and last what is asked of them, which a JSON body may tell after them. */
  async function* linesOf(
    call: Call,
    minBlock: { readonly chainId: number; readonly number: number },
  ): AsyncGenerator<string, void, undefined> {
    const objects = createObjectList(options.maxObjects);
    const asked: AskedCollection = yield* readRequest(call, objects, options.maxBytes);
    const last = {
      end: true,
      caller: call.account,
      name: asked.name?.name ?? null,
      folded: asked.name?.folded ?? null,
      owner: asked.owner,
      minBlock,
    };
    yield `${JSON.stringify(last)}\n`;
  }
}

const largeBytes = 2 ** 20;
const isLarge = ({ bodyBytes }: Call): boolean => bodyBytes === undefined || bodyBytes > largeBytes;

async function* andThen(
  chunks: AsyncIterable<Uint8Array>,
  ended: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* chunks;
  } finally {
    ended();
  }
}

/** Puts the account's time zone before the keys of the object that comes. */
async function* withTimezone(
  object: AsyncIterable<Uint8Array>,
  timezone: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  let begun = false;
  for await (const chunk of object) {
    if (begun || chunk.length === 0) {
      yield chunk;
      continue;
    }
    if (chunk[0] !== openingBrace) throw new UnavailableError("verification's answer is no object");
    begun = true;
    yield Buffer.from(`{"display_timezone":${JSON.stringify(timezone)},`);
    yield chunk.subarray(1);
  }
  if (!begun) throw new UnavailableError("verification's answer is empty");
}

const openingBrace = 0x7b;
