import type { BlobStore, StagedWriter } from '@indelible/blob-store';
import { cidOfHash, type Hex, newId, startContentHash } from '@indelible/identifiers';
import type { StagedContent } from '@indelible/messages';
import { tooLarge } from '../../errors/http-error.ts';
import { countContent } from '../../limits/content-count.ts';
import type { DailyQuota } from '../../limits/daily-quotas.ts';

type Staging = { readonly keep: (fileName: string) => Promise<StagedContent>; readonly remove: () => Promise<void> };

/**
 * Content of a request: its CID is known, and it stays staged until a published command names it, or it is discarded.
 */
export class ReceivedContent {
  readonly cid: Hex;
  /**
   * A published command may name it: then only storage may remove it (I7). Set only by `use-cases/commands/submit.ts`.
   */
  isNamed = false;
  readonly #staging: Staging;
  #isRemoved = false;

  constructor(cid: Hex, staging: Staging) {
    this.cid = cid;
    this.#staging = staging;
  }
  /** Makes the staged bytes durable under a name. @throws BlobStoreUnavailableError, also of a fault while they arrived */
  keep(fileName: string): Promise<StagedContent> {
    return this.#staging.keep(fileName);
  }
  /**
   * Removes the staged bytes, unless a command names them. The receiver must always call it; may be called again. Never
   * rejects.
   */
  async discard(): Promise<void> {
    if (this.isNamed || this.#isRemoved) return;
    this.#isRemoved = true;
    await this.#staging.remove();
  }
}

/**
 * Hashes content and stages it as its bytes arrive, holding at most a chunk. Whether to store it may be known only
 * later in the form, so an error of the blob store is kept until then.
 * @param limits.announced bytes that the client announced: content over its account's quota is refused at once
 * @throws what `body` throws, HttpError 413, 429; nothing stays staged then
 */
export type ReceiveContent = (
  account: Hex,
  body: AsyncIterable<Buffer> | Iterable<Buffer>,
  limits: { readonly maxBytes: number; readonly announced: number },
) => Promise<ReceivedContent>;

export const createContentReceiver =
  (blobStore: BlobStore, byteQuota: Pick<DailyQuota, 'take' | 'give'>): ReceiveContent =>
  async (account, body, { maxBytes, announced }) => {
    const stagedId = newId();
    const hash = startContentHash();
    const staging = startStaging(blobStore, stagedId);
    const count = countContent(byteQuota, account, announced);
    let size = 0;
    try {
      for await (const chunk of body) {
        size += chunk.length;
        if (size > maxBytes) throw tooLarge(maxBytes);
        await count.take(chunk.length);
        hash.update(chunk);
        await staging.write(chunk);
      }
    } catch (error) {
      await staging.discard();
      throw error;
    } finally {
      count.end();
    }
    const cid = cidOfHash(hash);
    return new ReceivedContent(cid, {
      keep: async (fileName) => ({ stagedId, objectCid: cid, ...(await staging.finish()), fileName }),
      remove: staging.discard,
    });
  };

function startStaging(blobStore: BlobStore, stagedId: string) {
  let writer: StagedWriter | undefined;
  let fault: unknown;
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    if (fault !== undefined) return;
    try {
      await work();
    } catch (error) {
      fault = error ?? new Error('staging failed');
    }
  };
  const open = async (): Promise<StagedWriter> => {
    writer ??= await blobStore.stage(stagedId);
    return writer;
  };
  return {
    write: (chunk: Uint8Array) => attempt(async () => (await open()).write(chunk)),
    async finish() {
      if (fault !== undefined) throw fault;
      return (await open()).finish();
    },
    discard: async () => void (await writer?.abort()),
  };
}
