// Long, since every rule of storing is shown by the same three steps (`handle`) on one database and one folder.
import { randomUUID } from 'node:crypto';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BlobStoreUnavailableError } from '@indelible/blob-store';
import type { AddressedReply } from '@indelible/messages';
import type { Database } from '@indelible/postgres';
import { UnavailableError } from '@indelible/service-runtime';
import { eventually, recordStatements, type TestDatabase } from '@indelible/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RefusalMessage, StampMessage } from '../../src/decisions/follow-stamp.ts';
import { readFile } from '../../src/tables/shown-files.ts';
import { claimedOf } from '../../src/tables/stamps.ts';
import { confirmUnheard, type LookedUp } from '../../src/use-cases/confirm-unheard.ts';
import { discardContent } from '../../src/use-cases/discard-content.ts';
import { joinMoves } from '../../src/use-cases/join-moves.ts';
import { recordLookedUp, recordStamps } from '../../src/use-cases/record-stamps.ts';
import { createFileRetries, retryFiles } from '../../src/use-cases/retry-files.ts';
import { type StorePorts, storePendingFiles } from '../../src/use-cases/store-files.ts';
import { sweepStaged } from '../../src/use-cases/sweep-staged.ts';
import { contentAt, isStaged, stage, type TestBlobStore, testBlobStore } from '../support/content.ts';
import { connect, emptyTables, expectIndexed, logger, storageDatabase } from '../support/database.ts';
import { testStamping } from '../support/stamping.ts';
import {
  account,
  confirmed,
  failed,
  folder,
  hash,
  joined,
  receiptOf,
  refused,
  requested,
  reverted,
} from '../support/stamps.ts';

const statements = recordStatements();
let server: TestDatabase;
let database: Database;
let store: TestBlobStore;
let replies: AddressedReply[];
let ports: StorePorts;
beforeAll(async () => {
  server = await storageDatabase();
  database = connect(server.url);
});
beforeEach(async () => {
  await emptyTables(database);
  store = await testBlobStore();
  replies = [];
  ports = {
    database,
    blobStore: store,
    replies: { send: async (sent) => void replies.push(...sent) },
    now: () => new Date('2026-11-21T03:04:06.000Z'),
  };
});
afterEach(() => store.remove());
afterAll(async () => {
  await database.close();
  await server.drop();
});

const stampsOf = (messages: readonly (StampMessage | RefusalMessage)[]): string[] =>
  messages.flatMap((message) => (message.type === 'StampRequestRefused' ? [] : [message.data.stampId]));
/** All steps of a batch, as in the service. */
async function handle(...messages: (StampMessage | RefusalMessage)[]) {
  const recorded = await recordStamps(database, messages);
  const stored = await storePendingFiles(ports, stampsOf(messages));
  await discardContent(store, recorded.discards);
  return { ...stored, failed: [...recorded.failed, ...stored.failed] };
}
const events = async () =>
  (
    await database.query<{ type: string; data: Record<string, unknown> }>(
      'select type, data from events order by position',
    )
  ).rows;
const plain = `${folder}/cat_2026-11-21_03-04-05+0000.jpg`;

describe('storing the content of a stamp', () => {
  it('moves it to its path, records FileStored once and replies to the waiting gateway', async () => {
    const [stampId, content] = [randomUUID(), await stage(store, 'meow')];
    await handle(requested(stampId, content));
    expect(await contentAt(store, plain)).toBeUndefined();
    const ofRequest = { requestId: randomUUID(), clientRef: 'row 1' };
    await handle(confirmed(stampId, receiptOf('meow'), content, { replyTo: 'gateway-1', ...ofRequest }));

    expect(await contentAt(store, plain)).toBe('meow');
    expect(await isStaged(store, content)).toBe(false);
    const facts = {
      stampId,
      account,
      setCid: hash('Photos'),
      objectCid: hash('meow'),
      fileName: 'cat_2026-11-21_03-04-05+0000.jpg',
      filePath: plain,
      size: 4,
      crc32c: content.crc32c,
      storedAt: '2026-11-21T03:04:06.000Z',
    };
    expect(await readFile(database, stampId)).toEqual({ ...facts, status: 'success' });
    const expected = { ...facts, ...ofRequest, collectionName: 'Photos', came: 'with-stamp', replyTo: 'gateway-1' };
    expect(await events()).toEqual([{ type: 'FileStored', data: expected }]);
    expect(replies).toEqual([
      {
        replyTo: 'gateway-1',
        reply: { kind: 'stored', requestId: stampId, stampId, fileName: facts.fileName, filePath: plain },
      },
    ]);
  });

  it('does all of it once, whatever is delivered again (I5)', async () => {
    const [stampId, content] = [randomUUID(), await stage(store, 'meow')];
    const messages = [requested(stampId, content), confirmed(stampId, receiptOf('meow'), content, { replyTo: 'g' })];
    await handle(...messages);
    await handle(...messages);
    for (const message of messages) await handle(message, message);
    expect(await events()).toHaveLength(1);
    expect(replies).toHaveLength(1);
  });

  it('stores once when two replicas handle the same messages at once (I5)', async () => {
    const [stampId, content] = [randomUUID(), await stage(store, 'meow')];
    const messages = [requested(stampId, content), confirmed(stampId, receiptOf('meow'), content, { replyTo: 'g' })];
    await Promise.all([handle(...messages), handle(...messages)]);
    await handle(...messages);
    expect(await events()).toHaveLength(1);
    expect(replies).toHaveLength(1);
    expect(await contentAt(store, plain)).toBe('meow');
  });

  it('stores many of a batch', async () => {
    const stamps = await Promise.all(
      Array.from({ length: 40 }, async (_value, i) => ({
        id: randomUUID(),
        content: await stage(store, `cat ${i % 30}`),
      })),
    );
    await handle(
      ...stamps.map(({ id, content }) => requested(id, content)),
      ...stamps.map(({ id, content }, i) => confirmed(id, receiptOf(`cat ${i % 30}`), content)),
    );
    const files = await Promise.all(stamps.map(({ id }) => readFile(database, id)));
    for (const [i, file] of files.entries()) expect(await contentAt(store, file?.filePath ?? '')).toBe(`cat ${i % 30}`);
    expect(new Set(files.map((file) => file?.filePath)).size).toBe(30);
    expect(await events()).toHaveLength(40);
  });
});

describe('names of stored files', () => {
  const storeOne = async (content: string): Promise<string> => {
    const stampId = randomUUID();
    await handle(confirmed(stampId, receiptOf(content), await stage(store, content)));
    const file = await readFile(database, stampId);
    expect(file?.status).toBe('success');
    return file?.filePath ?? '';
  };

  it('get digits of the CID when the path holds other content, and share it with the same content', async () => {
    const digits = hash('other').slice(2);
    expect(await storeOne('meow')).toBe(plain);
    expect(await storeOne('other')).toBe(`${folder}/cat_${digits.slice(0, 8)}_2026-11-21_03-04-05+0000.jpg`);
    expect(await storeOne('meow')).toBe(plain);
    expect(await contentAt(store, plain)).toBe('meow');
  });

  it('go around a file that only the blob store knows of, and never overwrite it (I7)', async () => {
    const file = join(store.directory, 'objects', plain);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, 'who put this here');
    const digits = hash('meow').slice(2);
    expect(await storeOne('meow')).toBe(`${folder}/cat_${digits.slice(0, 8)}_2026-11-21_03-04-05+0000.jpg`);
    expect(await contentAt(store, plain)).toBe('who put this here');
    expect(await storeOne('other')).toBe(`${folder}/cat_${hash('other').slice(2, 10)}_2026-11-21_03-04-05+0000.jpg`);
  });

  it('end in a failed record when all of them are taken, and the partition continues', async () => {
    await storeOne('first');
    const digits = hash('meow').slice(2);
    for (const length of [8, 16, 32, 64])
      await database.query('insert into paths values ($1, $2)', [
        `${folder}/cat_${digits.slice(0, length)}_2026-11-21_03-04-05+0000.jpg`,
        Buffer.from('x'),
      ]);
    const [stampId, content] = [randomUUID(), await stage(store, 'meow')];
    const result = await handle(confirmed(stampId, receiptOf('meow'), content));
    expect(result.failed).toMatchObject([{ stampId }]);
    expect(await readFile(database, stampId)).toMatchObject({ status: 'failed', filePath: null });
    expect(await isStaged(store, content)).toBe(false);
  });
});

describe('a crash between two steps (I7)', () => {
  const prepared = async () => {
    const [stampId, content] = [randomUUID(), await stage(store, 'meow')];
    const messages = [requested(stampId, content), confirmed(stampId, receiptOf('meow'), content, { replyTo: 'g' })];
    return { stampId, content, messages };
  };
  const expectStored = async (stampId: string) => {
    expect(await readFile(database, stampId)).toMatchObject({ status: 'success', filePath: plain });
    expect(await contentAt(store, plain)).toBe('meow');
    expect(await events()).toHaveLength(1);
    expect(replies).toHaveLength(1);
    expect((await database.query('select from staged')).rowCount).toBe(0);
  };

  it('after recording: the redelivered message completes it', async () => {
    const { stampId, messages } = await prepared();
    await recordStamps(database, messages);
    expect(await readFile(database, stampId)).toMatchObject({ status: 'pending', filePath: null });
    await handle(...messages);
    await expectStored(stampId);
  });

  it('after moving: the redelivered message completes it', async () => {
    const { stampId, messages } = await prepared();
    await recordStamps(database, messages);
    const dying: StorePorts['database'] = {
      ...database,
      query: database.query,
      transaction: () => Promise.reject(new Error('killed here')),
    };
    await expect(storePendingFiles({ ...ports, database: dying }, [stampId])).rejects.toThrow('killed here');
    expect(await contentAt(store, plain)).toBe('meow');
    expect(await events()).toEqual([]);
    await handle(...messages);
    await expectStored(stampId);
  });

  it('in the recording transaction: nothing is noted, and the redelivered message does it all', async () => {
    const { stampId, messages } = await prepared();
    const dying: Pick<Database, 'transaction' | 'schema'> = {
      schema: database.schema,
      transaction: (work) =>
        database.transaction(async (client) => {
          await work(client);
          throw new Error('killed here');
        }),
    };
    await expect(recordStamps(dying, messages)).rejects.toThrow('killed here');
    expect(await readFile(database, stampId)).toBeUndefined();
    await handle(...messages);
    await expectStored(stampId);
  });

  it('while the blob store is unavailable: what can be stored is, the rest stays pending and is retried', async () => {
    const [one, two] = [await prepared(), { stampId: randomUUID(), content: await stage(store, 'woof') }];
    const messages = [...one.messages, confirmed(two.stampId, receiptOf('woof'), two.content)];
    await recordStamps(database, messages);
    const away: StorePorts['blobStore'] = {
      discard: store.discard,
      check: async () => false,
      promote: (stagedId, path, facts) =>
        stagedId === two.content.stagedId
          ? Promise.reject(new BlobStoreUnavailableError('away'))
          : store.promote(stagedId, path, facts),
    };
    const result = await storePendingFiles({ ...ports, blobStore: away }, stampsOf(messages));
    expect(result).toMatchObject({ stored: [{ stampId: one.stampId }], failed: [], away: { retryable: true } });
    expect(await readFile(database, two.stampId)).toMatchObject({ status: 'pending' });
    await handle(...messages);
    expect(await readFile(database, two.stampId)).toMatchObject({ status: 'success' });
  });

  const telemetry = { filesStored: () => {}, contentKeptAside: () => {} };
  /** One file that the store accepts, and one moved by `promote`. */
  async function withOneThatFails(promote: () => Promise<'stored'>) {
    const [one, two] = [await prepared(), { stampId: randomUUID(), content: await stage(store, 'woof') }];
    const messages = [...one.messages, confirmed(two.stampId, receiptOf('woof'), two.content)];
    await recordStamps(database, messages);
    const blobStore: StorePorts['blobStore'] = {
      ...store,
      promote: (stagedId, path, facts) =>
        stagedId === two.content.stagedId ? promote() : store.promote(stagedId, path, facts),
    };
    return { one, two, ids: stampsOf(messages), failing: { ...ports, blobStore } };
  }
  const later = (ms: number) => ({ ...ports, now: () => new Date(ports.now().getTime() + ms) });

  it('of one file alone: it is tried again later by itself, and holds up no message (I12)', async () => {
    const denied = () => Promise.reject(new BlobStoreUnavailableError('content cannot be stored: EACCES'));
    const { one, two, ids, failing } = await withOneThatFails(denied);
    const result = await storePendingFiles(failing, ids);
    expect(result).toMatchObject({ stored: [{ stampId: one.stampId }], failed: [], postponed: 1 });
    expect(result.away).toBeUndefined();
    expect(await retryFiles(ports, telemetry)).toBe(0);
    expect(await retryFiles(later(10_001), telemetry)).toBe(1);
    expect(await readFile(database, two.stampId)).toMatchObject({ status: 'success' });
    expect(replies.map(({ reply }) => reply.requestId)).toEqual([one.stampId]);
    const { rows } = await database.query("select type from events where stream = 'file-' || $1", [two.stampId]);
    expect(rows).toEqual([{ type: 'FileStored' }]);
  });

  it('of one file alone: it is tried again while stamping gives no answer about others (I12)', async () => {
    const denied = () => Promise.reject(new BlobStoreUnavailableError('content cannot be stored: EACCES'));
    const { two, ids, failing } = await withOneThatFails(denied);
    await storePendingFiles(failing, ids);
    const silent = Promise.withResolvers<number>();
    const lookUp = () => silent.promise;
    const retries = createFileRetries({ database, ports: later(10_001), logger, telemetry, lookUp });
    await retries.start();
    try {
      await eventually(async () => expect(await readFile(database, two.stampId)).toMatchObject({ status: 'success' }));
    } finally {
      await retries.stop();
    }
  });

  it('of one file alone, for good: it has failed after a bounded number of attempts (I6)', async () => {
    const denied = () => Promise.reject(new BlobStoreUnavailableError('content cannot be stored: EACCES'));
    const { two, ids, failing } = await withOneThatFails(denied);
    await storePendingFiles(failing, ids);
    let attempts = 1;
    for (let hours = 1; (await readFile(database, two.stampId))?.status === 'pending'; hours++, attempts++) {
      const now = () => new Date(ports.now().getTime() + hours * 3_600_001);
      expect(await retryFiles({ ...failing, now }, telemetry)).toBe(1);
    }
    expect(attempts).toBe(30);
    expect(await readFile(database, two.stampId)).toMatchObject({ status: 'failed' });
    expect(await claimedOf(database, [two.content.stagedId])).toEqual(new Set());
  });

  it('of a file that is slow to move: the others continue, and it is found stored later (I12)', async () => {
    const release = Promise.withResolvers<'stored'>();
    const { one, two, ids, failing } = await withOneThatFails(() => release.promise);
    const result = await storePendingFiles(failing, ids, new Map(), 200);
    expect(result).toMatchObject({ stored: [{ stampId: one.stampId }], failed: [], postponed: 1 });
    release.resolve('stored');
    expect(await retryFiles(later(10_001), telemetry)).toBe(1);
    expect(await readFile(database, two.stampId)).toMatchObject({ status: 'success' });
  });

  it('of many files that hang: a round of retries continues without them, and begins none of their moves twice (I12)', async () => {
    const { one, two, ids } = await withOneThatFails(async () => 'stored');
    const others = Array.from({ length: 20 }, () => randomUUID());
    const contents = await Promise.all(others.map((_, i) => stage(store, `other ${i}`)));
    await recordStamps(
      database,
      others.map((stampId, i) => confirmed(stampId, receiptOf(`other ${i}`), contents[i] ?? null)),
    );
    const denied = {
      ...ports,
      blobStore: { ...store, promote: () => Promise.reject(new BlobStoreUnavailableError('')) },
    };
    await storePendingFiles(denied, [...ids, ...others]);
    // Hanging ones come first in every round.
    await database.query("update files set try_after = try_after - interval '1 s' where stamp_id = any($1)", [others]);

    const hanging = new Set(contents.map(({ stagedId }) => stagedId));
    const release = Promise.withResolvers<void>();
    const begun: string[] = [];
    const blobStore = joinMoves({
      ...store,
      promote: async (stagedId, ...move) => {
        begun.push(stagedId);
        if (hanging.has(stagedId)) await release.promise;
        return await store.promote(stagedId, ...move);
      },
    });
    // Long enough for a move on a busy machine.
    const round = (ms: number) => retryFiles({ ...later(ms), blobStore }, telemetry, 2_000);
    const areStored = async () =>
      (await Promise.all([one, two].map(({ stampId }) => readFile(database, stampId)))).every(
        (file) => file?.status === 'success',
      );
    let ms = 10_001;
    // On a busy machine a move may be too slow: it is then due again later, like those that hang.
    do {
      while ((await round(ms)) > 0) ms += 1;
      ms += 10_000;
    } while (!(await areStored()));
    ms += 1_000_000;
    expect(await round(ms)).toBe(others.length);
    // The two others may be started again, if they took longer than a round waits.
    expect(begun.filter((stagedId) => hanging.has(stagedId)).toSorted()).toEqual([...hanging].toSorted());

    release.resolve();
    for (ms += 1_000_000; (await round(ms)) > 0; ms += 1_000_000);
    for (const stampId of others) expect(await readFile(database, stampId)).toMatchObject({ status: 'success' });
  });

  it('before a discard: the sweep takes unclaimed content', async () => {
    const { stampId, content, messages } = await prepared();
    const offered = await stage(store, 'meow');
    const { discards } = await recordStamps(database, [...messages, joined(stampId, offered)]);
    expect(discards).toEqual([offered.stagedId]);
    await sweepStaged({ database, blobStore: store }, new Date(Date.now() + 60_000));
    expect([await isStaged(store, offered), await isStaged(store, content)]).toEqual([false, true]);
  });
});

describe('content that no file is made of', () => {
  it('is left to the sweep when the store does not respond in time: nothing waits for it (I12)', async () => {
    const contents = await Promise.all(['meow', 'woof'].map((words) => stage(store, words)));
    const hanging = { discard: () => new Promise<void>(() => {}) };
    const stagedIds = contents.map(({ stagedId }) => stagedId);
    expect(await discardContent(hanging, stagedIds, 50)).toBe(2);
  });

  it('is discarded when its stamp fails, or its request is refused', async () => {
    const [stampId, first, second] = [randomUUID(), await stage(store, 'meow'), await stage(store, 'woof')];
    await handle(requested(stampId, first), refused(second), refused(null));
    expect([await isStaged(store, first), await isStaged(store, second)]).toEqual([true, false]);
    await handle(failed(stampId));
    expect(await isStaged(store, first)).toBe(false);
    expect(await readFile(database, stampId)).toBeUndefined();
  });

  it('is discarded when a joining request brings it twice, and stored when the stamp has none', async () => {
    const stampId = randomUUID();
    const ofRequest = { requestId: randomUUID(), clientRef: 'row 1' };
    await handle(requested(stampId, null), confirmed(stampId, receiptOf('meow'), null, ofRequest));
    const [first, second] = [await stage(store, 'meow', 'first.jpg'), await stage(store, 'meow', 'second.jpg')];
    await handle(joined(stampId, first));
    await handle(joined(stampId, second));
    expect(await readFile(database, stampId)).toMatchObject({
      status: 'success',
      fileName: 'first_2026-11-21_03-04-05+0000.jpg',
    });
    expect(await isStaged(store, second)).toBe(false);
    expect(replies).toEqual([]);
    expect(await events()).toMatchObject([{ data: { replyTo: null, came: 'with-stamp', ...ofRequest } }]);
  });

  it('ends in a failed record when it is missing, does not stop the others, and may be brought again', async () => {
    const [lost, other] = [randomUUID(), randomUUID()];
    const missing = await stage(store, 'meow');
    await store.discard(missing.stagedId);
    const result = await handle(
      confirmed(lost, receiptOf('meow'), missing, { replyTo: 'gateway-1', clientRef: 'row 1' }),
      confirmed(other, receiptOf('woof'), await stage(store, 'woof', 'dog.jpg')),
    );
    expect(result.failed).toMatchObject([{ stampId: lost, error: { name: 'StagedContentMissingError' } }]);
    expect(await readFile(database, lost)).toMatchObject({ status: 'failed', fileName: null, storedAt: null });
    expect(await readFile(database, other)).toMatchObject({ status: 'success' });
    // Its owner learns why there is no file, and the client that waits is answered (I6).
    const expected = {
      type: 'FileFailed',
      data: {
        ...{ stampId: lost, account, setCid: hash('Photos'), objectCid: hash('meow'), collectionName: 'Photos' },
        ...{ clientRef: 'row 1', came: 'with-stamp', reason: expect.stringContaining('could not be stored') },
      },
    };
    expect((await events()).filter(({ type }) => type === 'FileFailed')).toMatchObject([expected]);
    expect(replies.filter(({ reply }) => reply.kind === 'not-stored')).toMatchObject([{ reply: { stampId: lost } }]);
    await handle(joined(lost, await stage(store, 'meow')));
    expect(await readFile(database, lost)).toMatchObject({ status: 'success', filePath: plain });
  });

  it('ends in a failed record when its name could lead elsewhere', async () => {
    const [stampId, content] = [randomUUID(), await stage(store, 'meow', '../../etc/passwd')];
    const result = await handle(requested(stampId, content), confirmed(stampId, receiptOf('meow'), content));
    expect(result.failed[0]).toMatchObject({ stampId });
    expect(await readFile(database, stampId)).toMatchObject({ status: 'failed' });
    expect(await isStaged(store, content)).toBe(false);
    expect(await events()).toMatchObject([{ type: 'FileFailed', data: { stampId, collectionName: 'Photos' } }]);
  });

  it('is reported as failed once its stamp is confirmed (I6)', async () => {
    const [stampId, content] = [randomUUID(), await stage(store, 'meow', '../../etc/passwd')];
    await handle(joined(stampId, content));
    expect(await events()).toEqual([]);
    const confirmation = confirmed(stampId, receiptOf('meow'), null, { clientRef: 'row 1' });
    await handle(confirmation, confirmation);
    await handle(reverted(stampId), confirmed(stampId, receiptOf('meow', { blockNumber: 9 }), null));
    const came = 'with-stamp';
    const expected = { stampId, account, setCid: hash('Photos'), objectCid: hash('meow'), clientRef: 'row 1', came };
    expect(await events()).toMatchObject([{ type: 'FileFailed', data: expected }]);
  });
});

describe('a reorg', () => {
  it('leaves the stored file as it is, and notes no second FileStored (I4)', async () => {
    const [stampId, content] = [randomUUID(), await stage(store, 'meow')];
    await handle(requested(stampId, content), confirmed(stampId, receiptOf('meow'), content, { replyTo: 'g' }));
    const before = await readFile(database, stampId);
    await handle(reverted(stampId));
    await handle(confirmed(stampId, receiptOf('meow', { blockTime: 1_795_240_000, blockNumber: 9 }), content));
    expect(await readFile(database, stampId)).toEqual(before);
    expect(await contentAt(store, plain)).toBe('meow');
    expect(await events()).toHaveLength(1);
    const { rows } = await database.query('select on_chain, block_number from stamps');
    expect(rows).toEqual([{ on_chain: true, block_number: 9 }]);
  });
});

describe('a stamp without content', () => {
  const rowsOf = async (table: string) => (await database.query(`select from ${table}`)).rowCount;

  it('leaves nothing when it is reverted or fails: no record, and no row of the inbox', async () => {
    await handle(reverted(randomUUID()), failed(randomUUID()));
    expect(await Promise.all(['stamps', 'inbox', 'staged', 'files'].map(rowsOf))).toEqual([0, 0, 0, 0]);
    const known = randomUUID();
    await handle(confirmed(known, receiptOf('meow'), null), reverted(known));
    expect(await Promise.all(['stamps', 'inbox'].map(rowsOf))).toEqual([1, 2]);
  });

  it('has the content that a joining request brought once stamping confirms it, of which nothing was heard', async () => {
    const [stampId, waiting] = [randomUUID(), randomUUID()];
    const [content, own] = [await stage(store, 'meow'), await stage(store, 'woof', 'dog.jpg')];
    await handle(joined(stampId, content), requested(waiting, own));
    const stamping = testStamping();
    const settle = async (confirmations: readonly LookedUp[]): Promise<void> => {
      await recordLookedUp(database, confirmations);
      await storePendingFiles(ports, [stampId]);
    };
    expect(await confirmUnheard({ database, stamping: stamping.port }, settle)).toBe(0);
    expect([await contentAt(store, plain), await isStaged(store, content)]).toEqual([undefined, true]);
    const facts = { collectionName: 'Photos', requestId: randomUUID(), clientRef: 'row 1' };
    for (const each of [stampId, waiting]) stamping.confirm({ stampId: each, receipt: receiptOf('meow'), ...facts });
    // Content that came with its stamp is due when the stamp's own messages report it.
    expect(await confirmUnheard({ database, stamping: stamping.port }, settle)).toBe(1);
    expect(await contentAt(store, plain)).toBe('meow');
    expect(await events()).toMatchObject([{ type: 'FileStored', data: { stampId, ...facts } }]);
    expect(await confirmUnheard({ database, stamping: stamping.port }, settle)).toBe(0);
    expect(await isStaged(store, own)).toBe(true);
  });

  it('has the content of a joining request after a reorg, too, and once, whatever is heard meanwhile (I4, I5)', async () => {
    const [stampId, content] = [randomUUID(), await stage(store, 'meow')];
    await handle(confirmed(stampId, receiptOf('meow'), null), reverted(stampId), joined(stampId, content));
    const stamping = testStamping();
    const receipt = receiptOf('meow', { blockNumber: 9 });
    const facts = { receipt, collectionName: 'Photos', requestId: null, clientRef: null };
    stamping.confirm({ stampId, ...facts });
    const settle = async (confirmations: readonly LookedUp[]): Promise<void> => {
      await handle(confirmed(stampId, receipt, null));
      await recordLookedUp(database, confirmations);
      await storePendingFiles(ports, [stampId]);
    };
    expect(await confirmUnheard({ database, stamping: stamping.port }, settle)).toBe(1);
    expect(await contentAt(store, plain)).toBe('meow');
    expect(await events()).toHaveLength(1);
  });

  it('is looked up with thousands of others in bounded pages', async () => {
    await database.query(
      `insert into staged (staged_id, stamp_id, size, crc32c, file_name)
       select gen_random_uuid(), gen_random_uuid(), 1, 1, 'a' from generate_series(1, 1200)`,
    );
    const pages: number[] = [];
    const stamping = {
      confirmationsOf: async (stampIds: readonly string[]) => {
        pages.push(stampIds.length);
        return [];
      },
    };
    expect(await confirmUnheard({ database, stamping }, async () => {})).toBe(0);
    expect(pages).toEqual([500, 500, 200]);
  });

  it('is looked up though another page fails, or a stamp of its own page can never be handled (I12)', async () => {
    await database.query(
      `insert into staged (staged_id, stamp_id, size, crc32c, file_name)
       select gen_random_uuid(), gen_random_uuid(), 1, 1, 'a' from generate_series(1, 1200)`,
    );
    const { rows } = await database.query<{ id: string }>('select stamp_id as id from staged order by stamp_id');
    const [unavailable, invalid] = [rows[0]?.id ?? '', rows[700]?.id ?? ''];
    const facts = { receipt: receiptOf('meow'), collectionName: null, requestId: null, clientRef: null };
    const confirmationsOf = async (stampIds: readonly string[]) => {
      if (stampIds.includes(unavailable)) throw new UnavailableError('stamping does not answer');
      return stampIds.map((stampId) => ({ stampId, ...facts }));
    };
    const handled: string[] = [];
    const note = async (confirmations: readonly LookedUp[]) => {
      const ids = confirmations.map(({ data }) => data.stampId);
      if (ids.includes(invalid)) throw new TypeError('invalid');
      handled.push(...ids);
    };
    const look = () => confirmUnheard({ database, stamping: { confirmationsOf } }, note);
    await expect(look()).rejects.toMatchObject({ retryable: true });
    const expected = rows.slice(500).flatMap(({ id }) => (id === invalid ? [] : [id]));
    expect(handled).toEqual(expected);
    await database.query('delete from staged where stamp_id = $1', [unavailable]);
    await expect(look()).rejects.toMatchObject({ message: expect.stringContaining(invalid) });
  });
});

describe('the sweep', () => {
  it('drops old content without a claim, keeps claimed and young content (I7)', async () => {
    const [old, young, claimed] = [
      await stage(store, 'old'),
      await stage(store, 'young'),
      await stage(store, 'claimed'),
    ];
    await handle(requested(randomUUID(), claimed));
    const past = new Date('2026-01-01T00:00:00Z');
    for (const { stagedId } of [old, claimed])
      await utimes(join(store.directory, 'staging', stagedId.slice(-2), stagedId), past, past);
    const swept = await sweepStaged({ database, blobStore: store }, new Date('2026-01-02T00:00:00Z'));
    expect(swept).toEqual({ discarded: 1, kept: 1 });
    expect(await Promise.all([old, young, claimed].map((content) => isStaged(store, content)))).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('does a bounded piece of work, and continues from there', async () => {
    let pages = 0;
    const endless = {
      listStaged: async ({ after = '0' }: { after?: string }) => {
        pages++;
        return { items: [], next: String(Number(after) + 1) };
      },
      discard: async () => {},
    };
    const first = await sweepStaged({ database, blobStore: endless }, new Date());
    const second = await sweepStaged({ database, blobStore: endless }, new Date(), first.next);
    expect([pages, first.next, second.next]).toEqual([200, '100', '200']);
  });
});

describe('the statements of all this', () => {
  it('read no whole table, even if they were planned when nothing was there', async () => {
    await expectIndexed(statements, server.url);
  });
});
