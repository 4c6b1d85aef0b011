import { randomUUID } from 'node:crypto';
import { BlobStoreUnavailableError } from '@indelible/blob-store';
import type { KeepNonConfirmedContent, StagedContent } from '@indelible/messages';
import type { Database } from '@indelible/postgres';
import type { TestDatabase } from '@indelible/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readDueNonConfirmed, readNonConfirmed } from '../../src/tables/non-confirmed.ts';
import { finishNonConfirmed, keepNonConfirmed } from '../../src/use-cases/keep-non-confirmed.ts';
import { sweepStaged } from '../../src/use-cases/sweep-staged.ts';
import { contentAt, isStaged, stage, type TestBlobStore, testBlobStore } from '../support/content.ts';
import { connect, emptyTables, storageDatabase } from '../support/database.ts';
import { account, hash } from '../support/stamps.ts';

let server: TestDatabase;
let database: Database;
let store: TestBlobStore;
beforeAll(async () => {
  server = await storageDatabase();
  database = connect(server.url);
});
beforeEach(async () => {
  await emptyTables(database);
  store = await testBlobStore();
});
afterEach(() => store.remove());
afterAll(async () => {
  await database.close();
  await server.drop();
});

const folder = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed/collections/Photos/non_confirmed';
const path = `${folder}/cat_2026-11-21_03-05-00+0000.jpg`;
const keep = (content: StagedContent): { id: string; data: KeepNonConfirmedContent } => {
  const requestId = randomUUID();
  return {
    id: requestId,
    data: {
      requestId,
      account,
      setCid: hash('Photos'),
      objectCid: content.objectCid,
      collectionName: 'Photos',
      content,
      requestedAt: '2026-11-21T03:05:00.900Z',
    },
  };
};
const claims = async () => (await database.query('select from staged')).rowCount;
const records = async () => (await database.query('select from non_confirmed')).rowCount;

describe('content of a stamp into a collection that is not created (docs/interface.md, Stored files)', () => {
  it('is kept under non_confirmed/ with a failed record, once, however often the command comes (I5, I7)', async () => {
    const content = await stage(store, 'meow');
    const command = keep(content);
    for (let delivery = 0; delivery < 2; delivery++)
      expect(await keepNonConfirmed({ database, blobStore: store }, command)).toEqual({
        filePath: path,
        fault: null,
        unswept: 0,
      });
    expect(await contentAt(store, path)).toBe('meow');
    expect(await readNonConfirmed(database, command.data.requestId)).toMatchObject({
      status: 'failed',
      filePath: path,
      objectCid: content.objectCid,
    });
    expect(await isStaged(store, content)).toBe(false);
    expect(await claims()).toBe(0);
  });

  it('is kept once, however often the request is repeated: what comes later is discarded', async () => {
    const [first, second] = [await stage(store, 'meow'), await stage(store, 'meow', 'again.jpg')];
    await keepNonConfirmed({ database, blobStore: store }, keep(first));
    expect(await keepNonConfirmed({ database, blobStore: store }, keep(second))).toMatchObject({ filePath: null });
    expect(await isStaged(store, second)).toBe(false);
    expect(await records()).toBe(1);
  });

  it('never overwrites: other content of that name and second gets digits of its CID (I7)', async () => {
    const [first, second] = [await stage(store, 'meow'), await stage(store, 'woof')];
    await keepNonConfirmed({ database, blobStore: store }, keep(first));
    const { filePath } = await keepNonConfirmed({ database, blobStore: store }, keep(second));
    expect(filePath).toBe(`${folder}/cat_${hash('woof').slice(2, 10)}_2026-11-21_03-05-00+0000.jpg`);
    expect(await contentAt(store, path)).toBe('meow');
    expect(await contentAt(store, filePath ?? '')).toBe('woof');
  });

  it('gives up a path that unexpectedly holds something else', async () => {
    const stranger = await stage(store, 'stranger');
    await store.promote(stranger.stagedId, path, stranger);
    const content = await stage(store, 'meow');
    const { filePath } = await keepNonConfirmed({ database, blobStore: store }, keep(content));
    expect(filePath).toContain(`cat_${hash('meow').slice(2, 10)}_`);
    expect(await contentAt(store, path)).toBe('stranger');
  });

  it('waits for an unavailable blob store, safe from the sweep, and continues with the repeated command (I7)', async () => {
    const content = await stage(store, 'meow');
    const command = keep(content);
    const promote = async () => Promise.reject(new BlobStoreUnavailableError('away'));
    await expect(
      keepNonConfirmed({ database, blobStore: { ...store, promote, check: async () => false } }, command),
    ).rejects.toMatchObject({
      retryable: true,
    });
    expect(await readNonConfirmed(database, command.data.requestId)).toMatchObject({ status: 'pending' });
    await sweepStaged({ database, blobStore: store }, new Date(Date.now() + 60_000));
    expect(await isStaged(store, content)).toBe(true);
    expect(await keepNonConfirmed({ database, blobStore: store }, command)).toMatchObject({ filePath: path });
    expect(await contentAt(store, path)).toBe('meow');
    expect(await claims()).toBe(0);
  });

  it('that cannot be moved while others can is tried again later, and holds up no command (I12)', async () => {
    const content = await stage(store, 'meow');
    const command = keep(content);
    const promote = async () => Promise.reject(new BlobStoreUnavailableError('EACCES'));
    const result = await keepNonConfirmed({ database, blobStore: { ...store, promote } }, command);
    expect(result).toEqual({ filePath: null, fault: null, unswept: 0 });
    const { requestId } = command.data;
    expect(await readDueNonConfirmed(database, new Date(Date.now() + 60_000), 10)).toEqual([requestId]);
    expect(await finishNonConfirmed({ database, blobStore: store }, requestId)).toMatchObject({ filePath: path });
    expect(await contentAt(store, path)).toBe('meow');
    expect(await claims()).toBe(0);
  });

  it('whose move hangs is tried again later, and holds up no command (I12)', async () => {
    const content = await stage(store, 'meow');
    const command = keep(content);
    const { requestId } = command.data;
    const away = {
      ...store,
      check: async () => false,
      promote: async () => Promise.reject(new BlobStoreUnavailableError('')),
    };
    await expect(keepNonConfirmed({ database, blobStore: away }, command)).rejects.toThrow(BlobStoreUnavailableError);
    const hanging = { ...store, promote: () => new Promise<never>(() => {}) };
    expect(await finishNonConfirmed({ database, blobStore: hanging }, requestId, { patienceMs: 50 })).toMatchObject({
      filePath: null,
      fault: null,
    });
    expect(await readDueNonConfirmed(database, new Date(Date.now() + 60_000), 10)).toEqual([requestId]);
    expect(await finishNonConfirmed({ database, blobStore: store }, requestId)).toMatchObject({ filePath: path });
    expect(await claims()).toBe(0);
  });

  it('continues after a crash between the move and its record', async () => {
    const content = await stage(store, 'meow');
    const command = keep(content);
    const promote: TestBlobStore['promote'] = async (...move) => {
      await store.promote(...move);
      throw new BlobStoreUnavailableError('the answer was lost');
    };
    await expect(
      keepNonConfirmed({ database, blobStore: { ...store, promote, check: async () => false } }, command),
    ).rejects.toThrow();
    expect(await keepNonConfirmed({ database, blobStore: store }, command)).toMatchObject({ filePath: path });
    expect(await readNonConfirmed(database, command.data.requestId)).toMatchObject({ status: 'failed' });
    expect(await claims()).toBe(0);
  });

  it('that can never be kept is a failed record without a path, and nothing stays staged', async () => {
    const content = await stage(store, 'meow', '..');
    const command = keep(content);
    expect(await keepNonConfirmed({ database, blobStore: store }, command)).toMatchObject({
      filePath: null,
      fault: expect.stringContaining('name'),
    });
    const missing = keep({ ...content, stagedId: randomUUID(), objectCid: hash('lost'), fileName: 'lost.jpg' });
    expect(await keepNonConfirmed({ database, blobStore: store }, missing)).toMatchObject({
      filePath: null,
      fault: expect.any(String),
    });
    for (const { data } of [command, missing])
      expect(await readNonConfirmed(database, data.requestId)).toMatchObject({ status: 'failed', filePath: null });
    expect(await isStaged(store, content)).toBe(false);
    expect(await claims()).toBe(0);
  });
});
