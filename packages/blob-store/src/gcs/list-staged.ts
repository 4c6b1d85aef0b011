import type { Bucket } from '@google-cloud/storage';
import type { StagedEntry } from '../blob-store.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** What GCS lists in one request. */
const maxPage = 1_000;

/**
 * A page in the order of names; `after` is the last name examined by the previous page. It never expires, unlike the
 * page tokens of GCS.
 */
export async function listStaged(
  bucket: Bucket,
  prefix: string,
  options: { readonly olderThan: Date; readonly limit: number; readonly after?: string },
): Promise<{ items: StagedEntry[]; next?: string }> {
  const { after } = options;
  // The name to start after is itself listed first.
  const maxResults = Math.min(options.limit + (after === undefined ? 0 : 1), maxPage);
  const [files] = await bucket.getFiles({
    prefix,
    maxResults,
    autoPaginate: false,
    ...(after === undefined ? {} : { startOffset: `${prefix}${after}` }),
  });
  const names = files.map((file) => file.name.slice(prefix.length));
  const items = files.flatMap((file, i) => {
    const name = names[i] ?? '';
    const modifiedAt = new Date(file.metadata.updated ?? file.metadata.timeCreated ?? '');
    return name !== after && uuid.test(name) && modifiedAt < options.olderThan ? [{ stagedId: name, modifiedAt }] : [];
  });
  const last = names.at(-1);
  return files.length < maxResults || last === undefined || last === after ? { items } : { items, next: last };
}
