import type { File } from '@google-cloud/storage';
import { checkStagedId, segmentsOf } from '../blob-path.ts';
import type { BlobStore, ContentFacts } from '../blob-store.ts';
import { BlobStoreUnavailableError, InvalidBlobPathError, StagedContentMissingError } from '../errors.ts';
import { createClients, defaultPatience, type Patience } from './client.ts';
import { translated, unless, withinTime } from './gcs-faults.ts';
import { listStaged } from './list-staged.ts';
import { contentOf, copyToFreeName, factsOf } from './objects.ts';
import { openStagedWriter } from './staged-writer.ts';

/** The longest name of a GCS object, in bytes. */
const maxNameBytes = 1_024;
/** How long a successful check is valid; after a failed one the next caller checks again. */
const checkedForMs = 5_000;

export type GcsOptions = {
  readonly bucket: string;
  /** Before every name, without the slash that follows it; '' or left out: none. */
  readonly prefix?: string;
  /** Another address than Google's, to which no credentials are sent: an emulator. */
  readonly apiEndpoint?: string;
  readonly patience?: Partial<Patience>;
};

/**
 * A blob store in a bucket: `<prefix>/staging/<staged id>` and `<prefix>/objects/<path>`. Needs the rights to create,
 * get, list and delete objects; the credentials are Google's application default ones.
 * @throws InvalidBlobPathError if the prefix is invalid
 */
export function createGcsBlobStore(options: GcsOptions): BlobStore {
  const patience = { ...defaultPatience, ...options.patience };
  const { bucket, probed, probeMs } = createClients({ ...options, patience });
  const root = options.prefix ? `${segmentsOf(options.prefix).join('/')}/` : '';
  const staging = `${root}staging/`;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<boolean> | undefined;

  const stagedObject = (stagedId: string): File => bucket.file(`${staging}${checkStagedId(stagedId)}`);
  function storedObject(path: string): File {
    const name = `${root}objects/${segmentsOf(path).join('/')}`;
    if (Buffer.byteLength(name) > maxNameBytes) throw new InvalidBlobPathError('the path is too long for the bucket');
    return bucket.file(name);
  }
  /** An operation with a time limit; `what` begins its error message. */
  const bounded = <Result>(what: string, operation: () => Promise<Result>): Promise<Result> =>
    translated(what, () => withinTime(patience.operationMs, operation()));

  async function promote(
    source: File,
    target: File,
    expected: ContentFacts,
    keepStaged: boolean,
  ): Promise<'stored' | 'exists-same' | 'exists-other'> {
    const staged = await factsOf(source);
    if (staged !== undefined && !isSame(staged, expected))
      throw new StagedContentMissingError('the staged content is another than claimed');
    // undefined: another replica that promotes the same content has just dropped the source.
    const copied = staged === undefined ? undefined : await unless(404, () => copyToFreeName(source, target));
    if (copied !== true) {
      const found = await factsOf(target);
      if (found === undefined) return await explainMissing(staged !== undefined);
      if (!isSame(found, expected)) return 'exists-other';
    }
    if (staged !== undefined && !keepStaged) await source.delete({ ignoreNotFound: true });
    return copied === true ? 'stored' : 'exists-same';
  }
  /** @throws the client's error when the bucket is missing or unreachable */
  const reachBucket = (): Promise<unknown> => bucket.getFiles({ prefix: staging, maxResults: 1, autoPaginate: false });
  /** An unreachable bucket looks like missing content, which must not be given up. */
  async function explainMissing(wasStaged: boolean): Promise<never> {
    await reachBucket();
    if (wasStaged) throw new BlobStoreUnavailableError('an object went away just now');
    throw new StagedContentMissingError('the content is neither staged nor stored');
  }
  async function probe(): Promise<boolean> {
    try {
      await withinTime(probeMs, probed.getFiles({ prefix: staging, maxResults: 1, autoPaginate: false }));
      checkedAt = performance.now();
      return true;
    } catch {
      return false;
    } finally {
      checking = undefined;
    }
  }

  return {
    stage: (stagedId) =>
      translated('content cannot be staged', async () =>
        openStagedWriter(stagedObject(stagedId), patience.operationMs),
      ),
    readStaged: (stagedId) =>
      bounded('staged content cannot be read', async () => {
        const file = stagedObject(stagedId);
        return (await factsOf(file)) === undefined ? undefined : contentOf(file, patience.operationMs);
      }),
    promote: (stagedId, path, expected, options) =>
      bounded('content cannot be stored', async () =>
        promote(stagedObject(stagedId), storedObject(path), expected, options?.keepStaged ?? false),
      ),
    discard: (stagedId) =>
      bounded('staged content cannot be discarded', async () => {
        await stagedObject(stagedId).delete({ ignoreNotFound: true });
      }),
    open: (path) =>
      bounded('stored content cannot be read', async () => {
        const file = storedObject(path);
        const facts = await factsOf(file);
        return facts === undefined ? undefined : { stream: contentOf(file, patience.operationMs), size: facts.size };
      }),
    listStaged: (page) => bounded('staged content cannot be listed', async () => listStaged(bucket, staging, page)),
    async check() {
      if (performance.now() - checkedAt < checkedForMs) return true;
      checking ??= probe();
      return await checking;
    },
    requirePlace: () =>
      bounded('the bucket cannot be read', async () => {
        await reachBucket();
      }),
  };
}

const isSame = (one: ContentFacts, other: ContentFacts): boolean =>
  one.size === other.size && one.crc32c === other.crc32c;
