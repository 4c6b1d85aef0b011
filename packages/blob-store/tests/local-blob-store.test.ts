import { randomUUID } from 'node:crypto';
import { link, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type BlobStore,
  BlobStoreUnavailableError,
  type ContentFacts,
  crc32cOf,
  createLocalBlobStore,
  InvalidBlobPathError,
  StagedContentMissingError,
  StagedIdTakenError,
} from '../src/index.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'blob-store-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const factsOf = (content: string | Buffer): ContentFacts => ({
  size: Buffer.byteLength(content),
  crc32c: crc32cOf(Buffer.from(content)),
});
async function staged(store: BlobStore, content: string | Buffer, stagedId: string = randomUUID()): Promise<string> {
  const writer = await store.stage(stagedId);
  const bytes = Buffer.from(content);
  for (let start = 0; start < bytes.length; start += 7) await writer.write(bytes.subarray(start, start + 7));
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
const isStaged = async (store: BlobStore, stagedId: string): Promise<boolean> => {
  const stream = await store.readStaged(stagedId);
  stream?.destroy();
  return stream !== undefined;
};
const stagedFile = (stagedId: string): string => join(directory, 'staging', stagedId.slice(-2), stagedId);
const storedFile = (path: string): string => join(directory, 'objects', path);
const stored = async (store: BlobStore, path: string): Promise<string | undefined> => {
  const file = await store.open(path);
  return file === undefined ? undefined : (await buffer(file.stream)).toString();
};
const path = '0xAb/collections/Größe/stamped/a_2024-01-01_00-00-00+0000.txt';

describe.each([
  ['with hard links', true],
  ['without hard links', false],
])('the local blob store %s', (_name, hardLinks) => {
  let store: BlobStore;
  beforeEach(() => {
    store = createLocalBlobStore({ directory, hardLinks });
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

  it('may be asked again after the answer was lost (I7)', async () => {
    const id = await staged(store, 'content');
    await store.promote(id, path, factsOf('content'));
    expect(await store.promote(id, path, factsOf('content'))).toBe('exists-same');
    expect(await store.promote(id, path, factsOf('other'))).toBe('exists-other');
  });

  it('stores once when two replicas promote the same content at the same moment', async () => {
    const id = await staged(store, 'content');
    const other = createLocalBlobStore({ directory, hardLinks });
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
    expect((await store.listStaged({ olderThan: new Date(Date.now() + 60_000), limit: 10 })).items).toEqual([]);
  });

  it('stages each id once', async () => {
    const id = randomUUID();
    const writer = await store.stage(id);
    await expect(store.stage(id)).rejects.toThrow(StagedIdTakenError);
    await writer.finish();
    await expect(store.stage(id)).rejects.toThrow(StagedIdTakenError);
  });

  it('keeps files for its own user alone', async () => {
    await store.promote(await staged(store, 'content'), path, factsOf('content'));
    expect((await stat(storedFile(path))).mode & 0o777).toBe(0o600);
    for (let folder = dirname(storedFile(path)); folder !== directory; folder = dirname(folder))
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it('follows no link inside its folder', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'outside-'));
    await writeFile(join(outside, 'secret'), 'secret');
    await mkdir(join(directory, 'objects'), { recursive: true });
    await symlink(outside, join(directory, 'objects', 'away'));
    await symlink(join(outside, 'secret'), join(directory, 'objects', 'link'));
    const id = await staged(store, 'secret');
    await expect(store.open('away/secret')).rejects.toThrow(InvalidBlobPathError);
    await expect(store.promote(id, 'away/new', factsOf('secret'))).rejects.toThrow(InvalidBlobPathError);
    expect(await store.open('link')).toBeUndefined();
    expect(await store.promote(id, 'link', factsOf('secret'))).toBe('exists-other');
    expect(await readdir(outside)).toEqual(['secret']);
    await rm(outside, { recursive: true });
  });

  it('discards finished and unfinished content, and what is not there', async () => {
    const id = await staged(store, 'content');
    await store.discard(id);
    await store.discard(id);
    const writer = await store.stage(id);
    await writer.write(Buffer.from('x'));
    await store.discard(id);
    expect(await readdir(dirname(stagedFile(id)))).toEqual([]);
    await writer.abort();
  });
});

describe('the local blob store', () => {
  it('goes on after a crash between linking and unlinking', async () => {
    const store = createLocalBlobStore({ directory });
    const id = await staged(store, 'content');
    await mkdir(dirname(storedFile(path)), { recursive: true, mode: 0o700 });
    await link(stagedFile(id), storedFile(path));
    expect(await store.promote(id, path, factsOf('content'))).toBe('exists-same');
    expect(await isStaged(store, id)).toBe(false);
    expect(await stored(store, path)).toBe('content');
  });

  it('goes on after a crash between reserving a name and renaming', async () => {
    const store = createLocalBlobStore({ directory, hardLinks: false });
    const [id, other] = [await staged(store, 'content'), await staged(store, 'other')];
    await mkdir(dirname(storedFile(path)), { recursive: true, mode: 0o700 });
    await writeFile(storedFile(path), `reserved for ${id}\n`);
    expect(await store.promote(other, path, factsOf('other'))).toBe('exists-other');
    expect(await store.promote(id, path, factsOf('content'))).toBe('stored');
    expect(await stored(store, path)).toBe('content');
  });

  it('lists staged content older than a moment in pages, unfinished content too', async () => {
    const store = createLocalBlobStore({ directory });
    const ids = await Promise.all(Array.from({ length: 7 }, () => staged(store, 'old')));
    const unfinished = randomUUID();
    const writer = await store.stage(unfinished);
    const old = new Date('2024-01-01T00:00:00Z');
    for (const id of ids) await utimes(stagedFile(id), old, old);
    await utimes(`${stagedFile(unfinished)}.part`, old, old);
    await staged(store, 'young');
    await writeFile(join(directory, 'staging', 'stray'), 'no staged content');

    const found: string[] = [];
    let after: string | undefined;
    do {
      const page = await store.listStaged({
        olderThan: new Date('2024-01-02T00:00:00Z'),
        limit: 3,
        ...(after === undefined ? {} : { after }),
      });
      expect(page.items.length).toBeLessThanOrEqual(3);
      found.push(...page.items.map((item) => item.stagedId));
      after = page.next;
    } while (after !== undefined);
    expect(found.sort()).toEqual([...ids, unfinished].sort());
    await writer.abort();
  });

  it('says that it is away, retryably, when its folder cannot be made', async () => {
    const blocked = join(directory, 'file');
    await writeFile(blocked, '');
    const store = createLocalBlobStore({ directory: join(blocked, 'store') });
    expect(await store.check()).toBe(false);
    await expect(store.stage(randomUUID())).rejects.toMatchObject({
      name: 'BlobStoreUnavailableError',
      retryable: true,
    });
  });

  it('comes back when its folder does', async () => {
    const store = createLocalBlobStore({ directory: join(directory, 'a') });
    const id = await staged(store, 'content');
    await rm(join(directory, 'a'), { recursive: true });
    await expect(store.promote(id, path, factsOf('content'))).rejects.toThrow(StagedContentMissingError);
    expect(await store.check()).toBe(true);
    await store.promote(await staged(store, 'content'), path, factsOf('content'));
    expect(await readFile(join(directory, 'a', 'objects', path), 'utf8')).toBe('content');
  });
});
