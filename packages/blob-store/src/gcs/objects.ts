import { Readable } from 'node:stream';
import type { Bucket, File } from '@google-cloud/storage';
import type { ContentFacts } from '../blob-store.ts';
import { parseCrc32c } from './client.ts';
import { translate, unless, withinTime } from './gcs-faults.ts';

/** What GCS says of an object. `mark` identifies the writer of staged content. */
export type ObjectFacts = ContentFacts & { readonly generation: number; readonly mark: string | undefined };

/** The name of the metadata that identifies the writer of an object. */
export const markName = 'writer';

/** The object's facts, or undefined when there is none (or no bucket). */
export async function factsOf(file: File): Promise<ObjectFacts | undefined> {
  const found = await unless(404, () => file.getMetadata());
  if (found === undefined) return undefined;
  const [{ size, crc32c, generation, metadata }] = found;
  const mark = metadata?.[markName];
  return {
    size: Number(size),
    crc32c: parseCrc32c(crc32c) ?? Number.NaN,
    generation: Number(generation),
    mark: typeof mark === 'string' ? mark : undefined,
  };
}

/** Steps of one copy: each moves at least a megabyte where GCS has to move bytes at all. */
const maxSteps = 10_000;

/**
 * Copies within the bucket without moving the bytes through here, to a name that is free.
 * The client's own `copy` drops the precondition from the second step on, so the steps are made here.
 * @returns false when the name is taken
 */
export async function copyToFreeName(source: File, target: File): Promise<boolean> {
  const bucket = source.bucket;
  const uri = `/o/${encodeURIComponent(source.name)}/rewriteTo/b/${bucket.name}/o/${encodeURIComponent(target.name)}`;
  let rewriteToken: string | undefined;
  for (let step = 0; step < maxSteps; step++) {
    const qs = { ifGenerationMatch: 0, ...(rewriteToken === undefined ? {} : { rewriteToken }) };
    const answer = await unless(412, () => rewrite(bucket, uri, qs));
    if (answer === undefined) return false;
    if (answer.done) return true;
    rewriteToken = answer.rewriteToken;
  }
  throw new Error('the copy does not come to an end');
}

async function rewrite(bucket: Bucket, uri: string, qs: object): Promise<{ done: boolean; rewriteToken?: string }> {
  const [body] = await bucket.request({ method: 'POST', uri, qs, json: {} });
  const { rewriteToken } = body as { rewriteToken?: string };
  return rewriteToken ? { done: false, rewriteToken } : { done: true };
}

/** The object's content, checked against its CRC32C at the end; nothing is requested of GCS before it is read. */
export function contentOf(file: File, operationMs: number): Readable {
  return Readable.from(chunksOf(file, operationMs), { objectMode: false });
}

const mostListeners = 20;

async function* chunksOf(file: File, operationMs: number): AsyncGenerator<Uint8Array> {
  const stream = file.createReadStream({ validation: 'crc32c', decompress: false });
  // The client adds a dozen listeners to a response, however long it is; with the usual limit Node warns of a leak.
  stream.on('response', (response: Readable) => response.setMaxListeners(mostListeners));
  const chunks: AsyncIterator<Uint8Array> = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await withinTime(operationMs, chunks.next());
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    throw translate('content cannot be read', error);
  } finally {
    stream.destroy();
  }
}
