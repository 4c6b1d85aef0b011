import { randomUUID } from 'node:crypto';
import {
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type BlobStore, BlobStoreUnavailableError, createLocalBlobStore, InvalidBlobPathError } from '../src/index.ts';
import { describeBlobStore, factsOf, isStaged, listed, path, staged, stored } from './blob-store-suite.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'blob-store-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const stagedFile = (stagedId: string): string => join(directory, 'staging', stagedId.slice(-2), stagedId);
const storedFile = (path: string): string => join(directory, 'objects', path);

describe.each([
  ['with hard links', true],
  ['without hard links', false],
])('the local blob store %s', (_name, hardLinks) => {
  describeBlobStore('as every driver', () => createLocalBlobStore({ directory, hardLinks }));

  let store: BlobStore;
  beforeEach(() => {
    store = createLocalBlobStore({ directory, hardLinks });
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
});

describe('the local blob store whose folder goes away', () => {
  const away = (): string => `${directory}.away`;
  afterEach(() => rm(away(), { recursive: true, force: true }));

  it.each(['nothing stands in its place', 'an empty folder stands in its place, as where a disk was mounted'])(
    'is unavailable while %s, writes nothing there, and goes on when it is back (I7)',
    async (place) => {
      const store = createLocalBlobStore({ directory });
      const id = await staged(store, 'content');
      await rename(directory, away());
      if (place.startsWith('an empty')) await mkdir(directory);
      for (const attempt of [
        () => store.stage(randomUUID()),
        () => store.promote(id, path, factsOf('content')),
        () => store.open(path),
        () => store.readStaged(id),
        () => store.discard(id),
      ])
        await expect(attempt()).rejects.toMatchObject({ name: 'BlobStoreUnavailableError', retryable: true });
      expect(await store.check()).toBe(false);
      expect(await readdir(directory).catch(() => [])).toEqual([]);
      await rm(directory, { recursive: true, force: true });
      await rename(away(), directory);
      expect(await store.promote(id, path, factsOf('content'))).toBe('stored');
      expect(await store.check()).toBe(true);
    },
  );
});

describe('the local blob store whose folder goes away while it writes', () => {
  it('does not make it again: what would be staged there is on no disk (I7)', async () => {
    const away = `${directory}.away`;
    const store = createLocalBlobStore({ directory });
    await staged(store, 'content');
    for (let round = 0; round < 200; round++) {
      const staging = store.stage(randomUUID()).then(
        (writer) => writer.abort(),
        (error: unknown) => expect(error).toBeInstanceOf(BlobStoreUnavailableError),
      );
      await rename(directory, away);
      await staging;
      await expect(stat(directory)).rejects.toMatchObject({ code: 'ENOENT' });
      await rename(away, directory);
    }
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

    const found = await listed(store, new Date('2024-01-02T00:00:00Z'), 3);
    expect(found).toEqual([...ids, unfinished].sort());
    await writer.abort();
  });

  it('says that it is unavailable, retryably, when its folder cannot be made', async () => {
    const blocked = join(directory, 'file');
    await writeFile(blocked, '');
    const store = createLocalBlobStore({ directory: join(blocked, 'store') });
    expect(await store.check()).toBe(false);
    await expect(store.stage(randomUUID())).rejects.toMatchObject({
      name: 'BlobStoreUnavailableError',
      retryable: true,
    });
  });

  it('names its folder when it is missing, and does not make it', async () => {
    const missing = join(directory, 'missing');
    const fault = { name: 'BlobStoreUnavailableError', message: expect.stringContaining(missing) };
    await expect(createLocalBlobStore({ directory: missing }).requirePlace()).rejects.toMatchObject(fault);
    await expect(readFile(missing)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('makes its folder when it starts and never while it runs: one that was removed is made by the next start', async () => {
    const options = { directory: join(directory, 'a') };
    const store = createLocalBlobStore(options);
    await staged(store, 'content');
    await rm(join(directory, 'a'), { recursive: true });
    await expect(store.stage(randomUUID())).rejects.toThrow(BlobStoreUnavailableError);
    const restarted = createLocalBlobStore(options);
    await restarted.promote(await staged(restarted, 'content'), path, factsOf('content'));
    expect(await readFile(join(directory, 'a', 'objects', path), 'utf8')).toBe('content');
  });

  it('takes no content when the disk is nearly full, and stores what is staged all the same (I11)', async () => {
    const roomy = createLocalBlobStore({ directory, minFreeBytes: 0 });
    const stagedId = randomUUID();
    const writer = await roomy.stage(stagedId);
    await writer.write(Buffer.from('content'));
    const facts = await writer.finish();
    const full = createLocalBlobStore({ directory, minFreeBytes: Number.MAX_SAFE_INTEGER });
    await expect(full.stage(randomUUID())).rejects.toMatchObject({ name: 'BlobStoreUnavailableError' });
    expect(await full.check()).toBe(false);
    expect(await full.promote(stagedId, 'a/file', facts)).toBe('stored');
  });
});
