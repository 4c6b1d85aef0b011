import { randomBytes, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type BlobStore,
  BlobStoreUnavailableError,
  type ContentFacts,
  crc32cOf,
  InvalidBlobPathError,
  StagedContentMissingError,
  StagedIdTakenError,
} from '../src/index.ts';

export const factsOf = (content: string | Buffer): ContentFacts => ({
  size: Buffer.byteLength(content),
  crc32c: crc32cOf(Buffer.from(content)),
});
/** Stages content in pieces. */
export async function staged(
  store: BlobStore,
  content: string | Buffer,
  stagedId: string = randomUUID(),
): Promise<string> {
  const writer = await store.stage(stagedId);
  const bytes = Buffer.from(content);
  const step = bytes.length < 10_000 ? 7 : 50_000;
  for (let start = 0; start < bytes.length; start += step) await writer.write(bytes.subarray(start, start + step));
  expect(await writer.finish()).toEqual(factsOf(content));
  return stagedId;
}
/** As the service does: a fault that says retryable is tried again. */
async function untilAvailable<Result>(operation: () => Promise<Result>): Promise<Result> {
  for (;;)
    try {
      return await operation();
    } catch (error) {
      if (!(error instanceof BlobStoreUnavailableError)) throw error;
    }
}
export const isStaged = async (store: BlobStore, stagedId: string): Promise<boolean> => {
  const stream = await store.readStaged(stagedId);
  stream?.destroy();
  return stream !== undefined;
};
export const stored = async (store: BlobStore, path: string): Promise<string | undefined> => {
  const file = await store.open(path);
  return file === undefined ? undefined : (await buffer(file.stream)).toString();
};
/** Every staged id that the sweep would find, page by page. */
export async function listed(store: BlobStore, olderThan: Date, limit = 100): Promise<string[]> {
  const found: string[] = [];
  let after: string | undefined;
  do {
    const page = await store.listStaged({ olderThan, limit, ...(after === undefined ? {} : { after }) });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    found.push(...page.items.map((item) => item.stagedId));
    after = page.next;
  } while (after !== undefined);
  return found.sort();
}
export const path = '0xAb/collections/Größe/stamped/a_2024-01-01_00-00-00+0000.txt';
const soon = (): Date => new Date(Date.now() + 60_000);

/**
 * What every driver does.
 * @param connect a handle of its own on the place of this test, which is empty when each test begins
 */
export function describeBlobStore(name: string, connect: () => BlobStore): void {
  describe(name, () => {
    let store: BlobStore;
    beforeEach(() => {
      store = connect();
    });

    it('stages content, reads it and stores it under its path', async () => {
      const id = await staged(store, 'some content');
      const stream = await store.readStaged(id);
      expect(stream && (await buffer(stream)).toString()).toBe('some content');
      expect(await store.promote(id, path, factsOf('some content'))).toBe('stored');
      expect(await stored(store, path)).toBe('some content');
      const file = await store.open(path);
      file?.stream.destroy();
      expect(file?.size).toBe(12);
      expect(await isStaged(store, id)).toBe(false);
    });

    it('stores a file of no bytes', async () => {
      const id = await staged(store, '');
      expect(await store.promote(id, path, factsOf(''))).toBe('stored');
      expect(await stored(store, path)).toBe('');
    });

    it('never overwrites other content (I7), even of equal size, and keeps the staged content', async () => {
      await store.promote(await staged(store, 'first!'), path, factsOf('first!'));
      const id = await staged(store, 'second');
      expect(await store.promote(id, path, factsOf('second'))).toBe('exists-other');
      expect(await stored(store, path)).toBe('first!');
      expect(await store.promote(id, `${path}.2`, factsOf('second'))).toBe('stored');
    });

    it('finds the same content stored already, and drops the staged copy', async () => {
      await store.promote(await staged(store, 'same'), path, factsOf('same'));
      const id = await staged(store, 'same');
      expect(await store.promote(id, path, factsOf('same'))).toBe('exists-same');
      expect(await isStaged(store, id)).toBe(false);
    });

    it('stores content under several paths while it is kept, until it is discarded', async () => {
      const [id, second] = [await staged(store, 'content'), `${path}.2`];
      for (const place of [path, second, path])
        expect(await store.promote(id, place, factsOf('content'), { keepStaged: true })).toMatch(
          /^(stored|exists-same)$/,
        );
      expect([await stored(store, path), await stored(store, second)]).toEqual(['content', 'content']);
      expect(await isStaged(store, id)).toBe(true);
      await store.discard(id);
      expect([await stored(store, path), await stored(store, second)]).toEqual(['content', 'content']);
      expect(await listed(store, soon())).toEqual([]);
    });

    it('may be asked again after the answer was lost (I7)', async () => {
      const id = await staged(store, 'content');
      await store.promote(id, path, factsOf('content'));
      expect(await store.promote(id, path, factsOf('content'))).toBe('exists-same');
      expect(await store.promote(id, path, factsOf('other'))).toBe('exists-other');
    });

    it('stores once when two replicas promote the same content at the same moment', async () => {
      const id = await staged(store, 'content');
      const other = connect();
      const outcomes = await Promise.all([
        untilAvailable(() => store.promote(id, path, factsOf('content'))),
        untilAvailable(() => other.promote(id, path, factsOf('content'))),
      ]);
      expect(outcomes).toContain('stored');
      expect(outcomes).not.toContain('exists-other');
      expect(await stored(store, path)).toBe('content');
    });

    it('lets one of many win a path, and the others keep what they staged', async () => {
      const contents = Array.from({ length: 8 }, (_value, i) => `content ${i}`);
      const ids = await Promise.all(contents.map((content) => staged(store, content)));
      const outcomes = await Promise.all(
        ids.map((id, i) => untilAvailable(() => store.promote(id, path, factsOf(contents[i] ?? '')))),
      );
      expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1);
      expect(await stored(store, path)).toBe(contents[outcomes.indexOf('stored')]);
      for (const [i, id] of ids.entries()) expect(await isStaged(store, id)).toBe(outcomes[i] !== 'stored');
    });

    it('names content that is missing, and staged content of another size, as faults that stay', async () => {
      const missing = store.promote(randomUUID(), path, factsOf('content'));
      await expect(missing).rejects.toThrow(StagedContentMissingError);
      const id = await staged(store, 'conten');
      const cut = store.promote(id, path, factsOf('content'));
      await expect(cut).rejects.toMatchObject({ name: 'StagedContentMissingError', retryable: false });
      expect(await store.open(path)).toBeUndefined();
    });

    it('shows nothing of content that is still arriving', async () => {
      const id = randomUUID();
      const writer = await store.stage(id);
      await writer.write(Buffer.from('half'));
      expect(await isStaged(store, id)).toBe(false);
      await expect(store.promote(id, path, factsOf('half'))).rejects.toThrow(StagedContentMissingError);
      await writer.abort();
    });

    it('leaves nothing after an abort, before or after finishing', async () => {
      const early = await store.stage(randomUUID());
      await early.write(Buffer.from('x'));
      await early.abort();
      await early.abort();
      const late = await store.stage(randomUUID());
      await late.finish();
      await late.abort();
      expect(await listed(store, soon())).toEqual([]);
    });

    it('keeps every byte of content of many megabytes, in the order it came', async () => {
      const content = randomBytes(9_700_001);
      const id = await staged(store, content);
      const stream = await store.readStaged(id);
      expect(stream && factsOf(await buffer(stream))).toEqual(factsOf(content));
      expect(await store.promote(id, path, factsOf(content))).toBe('stored');
      const file = await store.open(path);
      expect(file && (await buffer(file.stream)).equals(content)).toBe(true);
    });

    it('takes chunks that their owner fills anew after each write', async () => {
      const [writer, chunk] = [await store.stage(randomUUID()), Buffer.alloc(100_000)];
      const whole: Buffer[] = [];
      for (let i = 1; i < 10; i++) {
        await writer.write(chunk.fill(i));
        whole.push(Buffer.from(chunk));
      }
      chunk.fill(0);
      expect(await writer.finish()).toEqual(factsOf(Buffer.concat(whole)));
    });

    it('goes on after a crash between placing and dropping (I7)', async () => {
      const id = await staged(store, 'content');
      await store.promote(id, path, factsOf('content'), { keepStaged: true });
      expect(await store.promote(id, path, factsOf('content'))).toBe('exists-same');
      expect(await isStaged(store, id)).toBe(false);
      expect(await stored(store, path)).toBe('content');
    });

    it("stages each id once, and the later writer leaves the first one's content", async () => {
      const id = randomUUID();
      const writer = await store.stage(id);
      await writer.write(Buffer.from('first'));
      const openings = [store.stage(id)];
      await writer.finish();
      openings.push(store.stage(id));
      for (const opening of openings) opening.catch(() => {});
      for (const opening of openings) {
        const later = async (): Promise<void> => {
          const second = await opening;
          try {
            await second.finish();
          } finally {
            await second.abort();
          }
        };
        await expect(later()).rejects.toThrow(StagedIdTakenError);
      }
      expect(await store.promote(id, path, factsOf('first'))).toBe('stored');
    });

    it('discards finished and unfinished content, and what is not there', async () => {
      const id = await staged(store, 'content');
      await store.discard(id);
      await store.discard(id);
      const writer = await store.stage(id);
      await writer.write(Buffer.from('x'));
      await store.discard(id);
      expect(await listed(store, soon())).toEqual([]);
      await writer.abort();
    });

    it('lists what is staged in pages, by its age alone', async () => {
      const ids = await Promise.all(Array.from({ length: 7 }, () => staged(store, 'content')));
      await store.promote(await staged(store, 'stored'), path, factsOf('stored'));
      for (const limit of [1, 3, 7, 100]) expect(await listed(store, soon(), limit)).toEqual(ids.toSorted());
      expect(await listed(store, new Date('2024-01-01T00:00:00Z'))).toEqual([]);
    });

    it('knows nothing at a free path or id, and refuses a path that leads out', async () => {
      expect(await store.open(path)).toBeUndefined();
      expect(await store.readStaged(randomUUID())).toBeUndefined();
      await expect(store.open('a/../b')).rejects.toThrow(InvalidBlobPathError);
      await expect(store.promote(randomUUID(), '/a', factsOf(''))).rejects.toThrow(InvalidBlobPathError);
      await expect(store.stage('../x')).rejects.toThrow(InvalidBlobPathError);
    });

    it('says that it can take content', async () => {
      expect(await store.check()).toBe(true);
    });

    it('finds its own folder or bucket, empty or not', async () => {
      await store.discard(await staged(store, 'content'));
      await store.requirePlace();
    });
  });
}
