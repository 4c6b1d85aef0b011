// Long, since every rule of an upload is shown on one database and one folder.
import { randomUUID } from 'node:crypto';
import { BlobStoreUnavailableError } from '@indelible/blob-store';
import type { AddressedReply } from '@indelible/messages';
import type { Database } from '@indelible/postgres';
import { faultClassOf, UnavailableError } from '@indelible/service-runtime';
import { recordStatements, type TestDatabase } from '@indelible/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { StampMessage } from '../../src/decisions/follow-stamp.ts';
import { createStamping } from '../../src/neighbours/stamping.ts';
import { readFile } from '../../src/tables/shown-files.ts';
import { pruneUploads, readUpload } from '../../src/tables/uploads.ts';
import { adoptFiles } from '../../src/use-cases/adopt-files.ts';
import { discardContent } from '../../src/use-cases/discard-content.ts';
import { handleFileCommands } from '../../src/use-cases/handle-file-commands.ts';
import { recordStamps } from '../../src/use-cases/record-stamps.ts';
import { recordUpload, type UploadMessage } from '../../src/use-cases/record-upload.ts';
import { type StorePorts, storePendingFiles } from '../../src/use-cases/store-files.ts';
import { storeUpload, type UploadHandled, type UploadPorts } from '../../src/use-cases/store-upload.ts';
import { forgetUploads, sweepStaged } from '../../src/use-cases/sweep-staged.ts';
import { contentAt, isStaged, stage, type TestBlobStore, testBlobStore } from '../support/content.ts';
import { connect, emptyTables, expectIndexed, storageDatabase } from '../support/database.ts';
import { stampOf, testStamping } from '../support/stamping.ts';
import {
  account,
  blockTime,
  confirmed,
  folder,
  hash,
  joined,
  receiptOf,
  requested,
  reverted,
} from '../support/stamps.ts';
import { upload } from '../support/uploads.ts';

const statements = recordStatements();
let server: TestDatabase;
let database: Database;
let store: TestBlobStore;
let replies: AddressedReply[];
let ports: UploadPorts;
let stamping: ReturnType<typeof testStamping>;
const now = new Date('2026-11-21T03:05:06.000Z');
beforeAll(async () => {
  server = await storageDatabase();
  database = connect(server.url);
});
beforeEach(async () => {
  await emptyTables(database);
  store = await testBlobStore();
  replies = [];
  stamping = testStamping();
  ports = {
    stamping: stamping.port,
    database,
    blobStore: store,
    replies: { send: async (sent) => void replies.push(...sent) },
    now: () => now,
  };
});
afterEach(() => store.remove());
afterAll(async () => {
  await database.close();
  await server.drop();
});

/** The steps of stamp messages, as in the service. */
async function handle(...messages: StampMessage[]): Promise<void> {
  const ids = messages.map((message) => message.data.stampId);
  const recorded = await recordStamps(database, messages);
  await storePendingFiles(ports, ids);
  await discardContent(store, recorded.discards);
  await adoptFiles(database, 'stamps', ids);
}
/** Stamping's result for an upload whose commitments are no stamps. */
const foreign = (message: UploadMessage): null[] => message.data.receipts.map(() => null);
const events = async (type = 'FileStored') =>
  (await database.query<{ data: Record<string, unknown> }>(`select data from events where type = '${type}'`)).rows.map(
    ({ data }) => data,
  );
const replyTo = (message: UploadMessage) =>
  replies.map(({ reply }) => reply).filter((reply) => reply.requestId === message.data.requestId);
const objects = async () => (await database.query<{ file_path: string }>('select file_path from paths')).rows;
const at = (seconds: number, name = 'cat'): string => `${name}_2026-11-21_03-04-0${5 + seconds}+0000.jpg`;
const receipts = [0, 1, 2].map((i) =>
  receiptOf('meow', { transactionHash: hash(`tx ${i}`), blockNumber: 7 + i, blockTime: blockTime + i }),
);
const first = receipts[0] ?? receiptOf('meow');

describe('content uploaded after its stamp', () => {
  it('is stored for the stamp: FileStored, the reply with its receipt, nothing staged any more', async () => {
    const stampId = randomUUID();
    const requestId = randomUUID();
    await handle(requested(stampId, null), confirmed(stampId, first, null, { requestId, clientRef: 'row 1' }));
    const content = await stage(store, 'meow');
    const message = upload(content, [first]);
    await storeUpload(ports, message);
    const file = { fileName: at(0), filePath: `${folder}/${at(0)}` };
    expect(await contentAt(store, file.filePath)).toBe('meow');
    expect(await readFile(database, stampId)).toMatchObject({ status: 'success', ...file });
    const expected = { stampId, requestId, clientRef: null, collectionName: 'Photos', came: 'later', replyTo: null };
    expect(await events()).toMatchObject([{ ...expected, ...file }]);
    expect(replies).toEqual([
      {
        replyTo: 'gateway-1',
        reply: {
          requestId: message.data.requestId,
          kind: 'uploaded',
          outcome: 'created',
          receipt: first,
          ...file,
          stampId,
        },
      },
    ]);
    expect(await isStaged(store, content)).toBe(false);
  });

  it('finds the file stored at stamping time, also under another name, and makes no copy (I7)', async () => {
    const stampId = randomUUID();
    const stamped = await stage(store, 'meow');
    await handle(requested(stampId, stamped), confirmed(stampId, first, stamped));
    const content = await stage(store, 'meow', 'other.png');
    const message = upload(content, [first]);
    await storeUpload(ports, message);
    expect(replyTo(message)).toMatchObject([{ outcome: 'existing', receipt: first, fileName: at(0), stampId }]);
    expect(await objects()).toHaveLength(1);
    expect(await isStaged(store, content)).toBe(false);
  });

  it('recreates the missing record with status success and the full receipt, and reuses it', async () => {
    const message = upload(await stage(store, 'meow'), [first]);
    await storeUpload(ports, message);
    const { rows } = await database.query(
      `select f.status, s.recreated, s.on_chain, '0x' || encode(s.transaction_hash, 'hex') as "transactionHash",
         '0x' || encode(s.block_hash, 'hex') as "blockHash", s.log_index as "logIndex", s.chain_id as "chainId",
         s.block_number as "blockNumber", s.block_time as "blockTime", '0x' || encode(s.account, 'hex') as account,
         '0x' || encode(s.set_cid, 'hex') as "setCid", '0x' || encode(s.object_cid, 'hex') as "objectCid"
       from stamps s join files f using (stamp_id)`,
    );
    expect(rows).toEqual([{ status: 'success', recreated: true, on_chain: true, ...first }]);
    const again = upload(await stage(store, 'meow', 'again.jpg'), [first]);
    await storeUpload(ports, again);
    expect(replyTo(again)).toMatchObject([{ outcome: 'existing', filePath: `${folder}/${at(0)}` }]);
    for (const reply of [...replyTo(message), ...replyTo(again)]) expect(reply).not.toHaveProperty('stampId');
    expect((await database.query('select from stamps')).rowCount).toBe(1);
  });

  it('is copied once for each of several commitments, each named by its own time; the earliest answers', async () => {
    const stampId = randomUUID();
    const [, second] = receipts;
    await handle(requested(stampId, null), confirmed(stampId, second ?? first, null));
    const content = await stage(store, 'meow');
    const message = upload(content, receipts.toReversed());
    await storeUpload(ports, message);
    for (const i of [0, 1, 2]) expect(await contentAt(store, `${folder}/${at(i)}`)).toBe('meow');
    expect(replyTo(message)).toMatchObject([{ outcome: 'created', receipt: first, fileName: at(0) }]);
    expect(await readFile(database, stampId)).toMatchObject({ fileName: at(1) });
    expect(await events()).toMatchObject([{ stampId }]);
    expect(await isStaged(store, content)).toBe(false);
  });

  it('makes no copy when a later commitment has a file: that one answers', async () => {
    const stampId = randomUUID();
    const stamped = await stage(store, 'meow');
    const last = receipts[2] ?? first;
    await handle(requested(stampId, stamped), confirmed(stampId, last, stamped));
    const message = upload(await stage(store, 'meow'), receipts);
    await storeUpload(ports, message);
    expect(replyTo(message)).toMatchObject([{ outcome: 'existing', receipt: last, fileName: at(2) }]);
    expect(await objects()).toHaveLength(1);
  });

  it('twenty times at once is stored once: one created, nineteen existing, one file (I7)', async () => {
    const uploads = await Promise.all(
      Array.from({ length: 20 }, async (_value, i) => upload(await stage(store, 'meow', `cat-${i}.jpg`), [first])),
    );
    await Promise.all(uploads.map((message) => storeUpload(ports, message)));
    const outcomes = replies.flatMap(({ reply }) => (reply.kind === 'uploaded' ? [reply.outcome] : []));
    expect(outcomes.toSorted()).toEqual(['created', ...Array.from({ length: 19 }, () => 'existing')]);
    expect(new Set(replies.map(({ reply }) => reply.kind === 'uploaded' && reply.filePath)).size).toBe(1);
    expect(await objects()).toHaveLength(1);
    expect((await store.listStaged({ olderThan: new Date(Date.now() + 60_000), limit: 99 })).items).toEqual([]);
  });

  it('keeps its file when a reorg moves the stamp to another transaction (I4)', async () => {
    const stampId = randomUUID();
    await handle(requested(stampId, null), confirmed(stampId, first, null));
    await storeUpload(ports, upload(await stage(store, 'meow'), [first]));
    const moved = receiptOf('meow', { transactionHash: hash('tx moved'), blockNumber: 9, blockTime: blockTime + 2 });
    stamping.know(moved, stampOf(stampId));
    const ahead = upload(await stage(store, 'meow'), [moved]);
    await storeUpload(ports, ahead);
    await handle(reverted(stampId), confirmed(stampId, moved, null));
    const after = upload(await stage(store, 'meow'), [moved]);
    await storeUpload(ports, after);
    for (const message of [ahead, after])
      expect(replyTo(message)).toMatchObject([{ outcome: 'existing', receipt: moved, fileName: at(0) }]);
    expect(await objects()).toHaveLength(1);
  });

  it('belongs to the stamp whose message comes only afterwards, and FileStored reports it, once (I5)', async () => {
    const stampId = randomUUID();
    const message = upload(await stage(store, 'meow'), [first]);
    await storeUpload(ports, message);
    expect(await events()).toEqual([]);
    const late = [requested(stampId, null), confirmed(stampId, first, null)];
    await handle(...late);
    await handle(...late);
    expect(await events()).toMatchObject([{ stampId, filePath: `${folder}/${at(0)}`, came: 'later' }]);
    expect(await readFile(database, stampId)).toMatchObject({ status: 'success' });
    expect(await readUpload(database, message.data.requestId)).toMatchObject({ stampIds: [stampId] });
    await storeUpload(ports, message);
    expect(replyTo(message)).toMatchObject([{ kind: 'uploaded' }, { kind: 'uploaded', stampId }]);
    await handle(joined(stampId, await stage(store, 'meow', 'joined.jpg')));
    expect(await objects()).toHaveLength(1);
  });

  it('whose stamp is heard of between deciding and moving becomes that stamp’s, too', async () => {
    const stampId = randomUUID();
    const message = upload(await stage(store, 'meow'), [first]);
    await recordUpload(database, message, now, foreign(message));
    await handle(requested(stampId, null), confirmed(stampId, first, null));
    await storeUpload(ports, message);
    expect(await events()).toMatchObject([{ stampId }]);
    expect(replyTo(message)).toMatchObject([{ outcome: 'created', fileName: at(0) }]);
  });

  it('takes the place of content that waits for a stamp to come back', async () => {
    const stampId = randomUUID();
    const waiting = await stage(store, 'meow', 'waiting.jpg');
    await handle(requested(stampId, null), confirmed(stampId, first, null), reverted(stampId));
    await handle(joined(stampId, waiting));
    const message = upload(await stage(store, 'meow'), [first]);
    await storeUpload(ports, message);
    expect(replyTo(message)).toMatchObject([{ outcome: 'created', fileName: at(0) }]);
    expect(await isStaged(store, waiting)).toBe(false);
  });

  it('that can never be stored is answered as failed, and may be brought again', async () => {
    const missing = await stage(store, 'meow');
    await store.discard(missing.stagedId);
    const message = upload(missing, [first]);
    await storeUpload(ports, message);
    expect(replyTo(message)).toMatchObject([{ kind: 'refused', refusal: { code: 'upload-failed' } }]);
    const again = upload(await stage(store, 'meow'), [first]);
    await storeUpload(ports, again);
    expect(replyTo(again)).toMatchObject([{ outcome: 'created' }]);
  });

  it('that can never be stored for a stamp is reported as content that came later, without the reference of the stamp (I6)', async () => {
    const [stampId, requestId] = [randomUUID(), randomUUID()];
    await handle(requested(stampId, null), confirmed(stampId, first, null, { requestId, clientRef: 'row 1' }));
    const missing = await stage(store, 'meow');
    await store.discard(missing.stagedId);
    await storeUpload(ports, upload(missing, [first]));
    const expected = { stampId, requestId, clientRef: null, collectionName: 'Photos', came: 'later' };
    expect(await events('FileFailed')).toMatchObject([expected]);
  });

  it('with a name that leads elsewhere is refused and discarded', async () => {
    const content = await stage(store, 'meow', '../x');
    const message = upload(content, [first]);
    await storeUpload(ports, message);
    expect(replyTo(message)).toMatchObject([{ kind: 'refused' }]);
    expect(await isStaged(store, content)).toBe(false);
  });

  it('of a command that contradicts itself is a fault of the message', async () => {
    const content = await stage(store, 'meow');
    const wrong = upload(content, [receiptOf('woof')]);
    await expect(recordUpload(database, wrong, now, [null])).rejects.toMatchObject({ retryable: false });
    const others = upload(content, [{ ...first, account: `0x${'11'.repeat(20)}` }]);
    await expect(recordUpload(database, others, now, [null])).rejects.toMatchObject({ retryable: false });
    expect(others.data.account).toBe(account);
  });
});

describe('content uploaded for a stamp of which storage has heard nothing, since it had no content', () => {
  const ofRequest = { requestId: randomUUID(), clientRef: 'row 1' };
  const outcomeOf = async (receipt = first) => {
    const message = upload(await stage(store, 'meow'), [receipt]);
    await storeUpload(ports, message);
    return replyTo(message);
  };

  it('is the file of the stamp that stamping names: its record, FileStored, and the reply have its id', async () => {
    const stampId = randomUUID();
    stamping.know(first, stampOf(stampId, ofRequest));
    expect(await outcomeOf()).toMatchObject([{ outcome: 'created', stampId, receipt: first, fileName: at(0) }]);
    const { requestId } = ofRequest;
    const expected = { stampId, requestId, clientRef: null, collectionName: 'Photos', came: 'later', fileName: at(0) };
    expect(await events()).toMatchObject([expected]);
    const { rows } = await database.query('select stamp_id, recreated, client_ref, on_chain from stamps');
    expect(rows).toEqual([{ stamp_id: stampId, recreated: false, client_ref: 'row 1', on_chain: true }]);
    // Its messages may still arrive: from a release before labels, or after a reorg.
    await handle(confirmed(stampId, first, null), reverted(stampId), confirmed(stampId, first, null));
    expect(await outcomeOf()).toMatchObject([{ outcome: 'existing', stampId }]);
    expect(await events()).toHaveLength(1);
  });

  it('belongs to the stamp as well after a reorg that moved it into another block or transaction (I4)', async () => {
    const stampId = randomUUID();
    stamping.know(first, stampOf(stampId));
    await outcomeOf();
    await handle(reverted(stampId));
    const sameTransaction = { ...first, logIndex: 4, blockNumber: 9, blockHash: hash('block 9') };
    const another = { ...sameTransaction, transactionHash: hash('tx moved') };
    for (const moved of [sameTransaction, another]) {
      stamping.know(moved, stampOf(stampId));
      expect(await outcomeOf(moved)).toMatchObject([{ outcome: 'existing', stampId, receipt: moved }]);
    }
    expect(await objects()).toHaveLength(1);
  });

  it('waits while stamping has not read the block of the commitment, for a while: its id is none of storage’s own', async () => {
    const stampId = randomUUID();
    stamping.know(first, stampOf(stampId, { isRecorded: false }));
    const content = await stage(store, 'meow');
    const message = upload(content, [first], { requestedAt: now.toISOString() });
    await expect(storeUpload(ports, message)).rejects.toMatchObject({ retryable: true });
    expect([await isStaged(store, content), (await database.query('select from uploads')).rowCount]).toEqual([true, 0]);
    const later = { ...ports, now: () => new Date(now.getTime() + 30_000) };
    await storeUpload(later, message);
    expect(replyTo(message)).toMatchObject([{ outcome: 'created', stampId }]);
  });

  it('waits while stamping is unavailable, holds up no other of its batch (I12), and is stored then (I6)', async () => {
    const [stampId, known] = [randomUUID(), randomUUID()];
    const purr = receiptOf('purr');
    await handle(requested(known, null), confirmed(known, purr, null));
    const contents = [await stage(store, 'meow'), await stage(store, 'purr')];
    const messages = contents.map((content, i) => upload(content, [i === 0 ? first : purr]));
    const batch = messages.map((message) => ({ type: 'store-uploaded' as const, message, httpRequestId: undefined }));
    const note = { uploadHandled: () => {}, contentKeptAside: () => {} };
    const unavailable = { stampsOf: () => Promise.reject(new UnavailableError('stamping does not answer')) };
    await expect(handleFileCommands({ ...ports, stamping: unavailable }, batch, note)).rejects.toMatchObject({
      retryable: true,
    });
    expect(messages.map(replyTo)).toMatchObject([[], [{ outcome: 'created', stampId: known }]]);
    stamping.know(first, stampOf(stampId));
    await handleFileCommands(ports, batch, note);
    expect(messages.flatMap(replyTo)).toContainEqual(expect.objectContaining({ outcome: 'created', stampId }));
  });

  it('waits for a while where stamping has recorded the stamp in another block than the receipt’s, and gets no id of its own meanwhile (I4)', async () => {
    stamping.know(first, 'not-recorded');
    const message = upload(await stage(store, 'meow'), [first], { requestedAt: now.toISOString() });
    await expect(storeUpload(ports, message)).rejects.toMatchObject({ retryable: true });
    expect((await database.query('select from stamps')).rowCount).toBe(0);
    const later = { ...ports, now: () => new Date(now.getTime() + 30_000) };
    await storeUpload(later, message);
    expect(replyTo(message)).toMatchObject([{ outcome: 'created', receipt: first, fileName: at(0) }]);
    expect((await database.query('select from stamps where recreated')).rowCount).toBe(1);
  });

  it('is placed by records while stamping is of a release without the query, and becomes the stamp’s by its message (I12)', async () => {
    const neighbour = await stamping.listen();
    const former = { ...ports, stamping: createStamping({ url: neighbour.url, headers: {} }) };
    try {
      neighbour.fail(404);
      const message = upload(await stage(store, 'meow'), [first]);
      await storeUpload(former, message);
      expect(replyTo(message)).toMatchObject([{ outcome: 'created', receipt: first, fileName: at(0) }]);
      expect(neighbour.queries).toHaveLength(1);
      const again = upload(await stage(store, 'meow'), [first]);
      await storeUpload(former, again);
      expect(replyTo(again)).toMatchObject([{ outcome: 'existing' }]);
      const stampId = randomUUID();
      await handle(confirmed(stampId, first, null));
      expect(await events()).toMatchObject([{ stampId, came: 'later' }]);
      expect(await former.stamping.confirmationsOf([stampId])).toEqual([]);
    } finally {
      await neighbour.close();
    }
  });

  it('has a fault of the class that says how often it is tried: stamping refuses the query, has a defect, or is unavailable (I12)', async () => {
    const neighbour = await stamping.listen();
    const failing = { ...ports, stamping: createStamping({ url: neighbour.url, headers: {} }) };
    try {
      for (const [status, fault] of [
        [400, 'permanent'],
        [500, 'unknown'],
        [503, 'unavailable'],
        [401, 'unavailable'],
      ] as const) {
        neighbour.fail(status);
        const message = upload(await stage(store, 'meow'), [first]);
        const outcome = await storeUpload(failing, message).catch(faultClassOf);
        expect(outcome).toBe(fault);
      }
    } finally {
      await neighbour.close();
    }
  });

  it('is given to the stamp whose own record a reorg, or a message that came twice, has left off the chain (I4, I5)', async () => {
    const stampId = randomUUID();
    await outcomeOf();
    const elsewhere = receiptOf('meow', { transactionHash: hash('tx elsewhere'), blockNumber: 6 });
    await handle(confirmed(stampId, elsewhere, null), reverted(stampId));
    stamping.know(first, stampOf(stampId));
    expect(await outcomeOf()).toMatchObject([{ outcome: 'existing', stampId }]);
    expect(await events()).toMatchObject([{ stampId, came: 'later' }]);
    const { rows } = await database.query('select stamp_id, recreated, on_chain from stamps');
    expect(rows).toEqual([{ stamp_id: stampId, recreated: false, on_chain: true }]);
  });

  it('is given to the stamp whose own record is off the chain at the same place', async () => {
    const stampId = randomUUID();
    const message = upload(await stage(store, 'meow'), [first]);
    await recordUpload(database, message, now, foreign(message));
    await recordStamps(database, [confirmed(stampId, first, null), reverted(stampId)]);
    await storeUpload(ports, message);
    expect(await events()).toEqual([]);
    stamping.know(first, stampOf(stampId));
    expect(await outcomeOf()).toMatchObject([{ outcome: 'existing', stampId }]);
    expect(await events()).toMatchObject([{ stampId, came: 'later' }]);
  });

  it('is given to the stamp that a record recreated by a former release turns out to be of', async () => {
    const stampId = randomUUID();
    expect(await outcomeOf()).toMatchObject([{ outcome: 'created' }]);
    expect(await events()).toEqual([]);
    stamping.know(first, stampOf(stampId));
    expect(await outcomeOf()).toMatchObject([{ outcome: 'existing', stampId }]);
    expect(await events()).toMatchObject([{ stampId, came: 'later' }]);
    const { rows } = await database.query('select stamp_id, recreated from stamps');
    expect(rows).toEqual([{ stamp_id: stampId, recreated: false }]);
  });

  it('has each copy with the stamp of its commitment, and a record of its own for what is no stamp’s', async () => {
    const [one, three] = [randomUUID(), randomUUID()];
    stamping.know(first, stampOf(one));
    stamping.know(receipts[2] ?? first, stampOf(three));
    await storeUpload(ports, upload(await stage(store, 'meow'), receipts));
    expect((await events()).map(({ stampId }) => stampId).toSorted()).toEqual([one, three].toSorted());
    expect(await readFile(database, three)).toMatchObject({ fileName: at(2) });
    expect((await database.query('select from stamps where recreated')).rowCount).toBe(1);
  });

  it('is decided again when records change between the look-up and the decision (I5)', async () => {
    const message = upload(await stage(store, 'meow'), [first]);
    await expect(recordUpload(database, message, now, undefined)).rejects.toMatchObject({ retryable: true });
    expect((await database.query('select from inbox')).rowCount).toBe(0);
  });
});

describe('a batch of uploads', () => {
  it('is stored one after the other where the content is one; a fault of one holds up no other', async () => {
    const contents = await Promise.all(['meow', 'woof', 'meow'].map((text, i) => stage(store, text, `${i}.jpg`)));
    const messages = contents.map((content, i) =>
      upload(content, [receiptOf(i === 1 ? 'woof' : 'meow', { transactionHash: hash(`tx ${i % 2}`) })]),
    );
    const away: StorePorts['blobStore'] = {
      discard: store.discard,
      check: async () => false,
      promote: (stagedId, path, facts, options) =>
        path.includes('1_2026')
          ? Promise.reject(new BlobStoreUnavailableError('away'))
          : store.promote(stagedId, path, facts, options),
    };
    const batch = messages.map((message) => ({ type: 'store-uploaded' as const, message, httpRequestId: undefined }));
    const handled: UploadHandled[] = [];
    const note = { uploadHandled: (one: UploadHandled) => void handled.push(one), contentKeptAside: () => {} };
    await expect(handleFileCommands({ ...ports, blobStore: away }, batch, note)).rejects.toMatchObject({
      retryable: true,
    });
    expect(handled).toMatchObject([
      { outcome: { outcome: 'created', fileName: at(0, '0') } },
      { outcome: { outcome: 'existing', fileName: at(0, '0') } },
    ]);
    await handleFileCommands(ports, batch, note);
    expect(await contentAt(store, `${folder}/${at(0, '1')}`)).toBe('woof');
  });
});

describe('an upload after a crash (I7)', () => {
  const expectStored = async (message: UploadMessage): Promise<void> => {
    for (const i of [0, 1, 2]) expect(await contentAt(store, `${folder}/${at(i)}`)).toBe('meow');
    expect(replyTo(message)).toMatchObject([{ outcome: 'created', receipt: first, fileName: at(0) }]);
    expect((await database.query('select from staged')).rowCount).toBe(0);
    expect((await database.query('select from uploads')).rowCount).toBe(1);
  };
  const dying = (at: number): Database => {
    let transactions = 0;
    return {
      ...database,
      transaction: async (work) => {
        if (++transactions === at) throw new Error('killed here');
        return await database.transaction(work);
      },
    };
  };

  it('in the deciding transaction: nothing is noted, and the redelivered command does it all', async () => {
    const message = upload(await stage(store, 'meow'), receipts);
    const broken: Pick<Database, 'transaction'> = {
      transaction: (work) =>
        database.transaction(async (client) => {
          await work(client);
          throw new Error('killed here');
        }),
    };
    await expect(recordUpload(broken, message, now, foreign(message))).rejects.toThrow('killed here');
    expect(await readUpload(database, message.data.requestId)).toBeUndefined();
    await storeUpload(ports, message);
    await expectStored(message);
  });

  it('after deciding: the content survives the sweep, and the redelivered command completes it', async () => {
    const content = await stage(store, 'meow');
    const message = upload(content, receipts);
    await recordUpload(database, message, now, foreign(message));
    await sweepStaged({ database, blobStore: store }, new Date(Date.now() + 60_000));
    await storeUpload(ports, message);
    await expectStored(message);
    expect(await isStaged(store, content)).toBe(false);
  });

  it('after moving: the redelivered command completes it', async () => {
    const message = upload(await stage(store, 'meow'), receipts);
    await expect(storeUpload({ ...ports, database: dying(2) }, message)).rejects.toThrow('killed here');
    expect(replies).toEqual([]);
    await storeUpload(ports, message);
    await expectStored(message);
  });

  it('after some copies, with the blob store away: the rest is retried from the same staged content', async () => {
    const content = await stage(store, 'meow');
    const message = upload(content, receipts);
    const away: StorePorts['blobStore'] = {
      discard: store.discard,
      check: async () => false,
      promote: (stagedId, path, facts, options) =>
        path.includes('03-04-06')
          ? Promise.reject(new BlobStoreUnavailableError('away'))
          : store.promote(stagedId, path, facts, options),
    };
    await expect(storeUpload({ ...ports, blobStore: away }, message)).rejects.toMatchObject({ retryable: true });
    expect([replies, await isStaged(store, content)]).toEqual([[], true]);
    await storeUpload(ports, message);
    await expectStored(message);
  });

  it('before discarding what it does not need: the redelivered command discards it', async () => {
    await storeUpload(ports, upload(await stage(store, 'meow'), [first]));
    const content = await stage(store, 'meow');
    const message = upload(content, [first]);
    await recordUpload(database, message, now, foreign(message));
    expect(await isStaged(store, content)).toBe(true);
    await storeUpload(ports, message);
    expect(await isStaged(store, content)).toBe(false);
  });

  it('is forgotten after its time; the files stay', async () => {
    const message = upload(await stage(store, 'meow'), [first]);
    await storeUpload(ports, message);
    expect(await pruneUploads(database, now, 10)).toBe(0);
    expect(await pruneUploads(database, new Date(now.getTime() + 1), 10)).toBe(1);
    expect(await contentAt(store, `${folder}/${at(0)}`)).toBe('meow');
  });
});

it('forgets all old uploads in one round, however many came (I11)', async () => {
  await database.query(
    `insert into uploads (request_id, outcome, staged_id, stamp_ids, receipts, decided_at)
     select gen_random_uuid(), 'created', gen_random_uuid(), '{}', '[]', now() - make_interval(days => 30 + n % 2)
     from generate_series(1, 50000) as n`,
  );
  expect(await forgetUploads(database, new Date(Date.now() - 30.5 * 86_400_000))).toBe(25_000);
  const { rows } = await database.query('select count(*) as left from uploads');
  expect(rows).toEqual([{ left: 25_000 }]);
});

describe('the statements of all this', () => {
  it('read no whole table, even if they were planned when nothing was there', async () => {
    await expectIndexed(statements, server.url);
  });
});
