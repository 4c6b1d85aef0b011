import { randomUUID } from 'node:crypto';
import { cidOfContent, zeroCid } from '@indelible/identifiers';
import type { IncomingMessage } from '@indelible/kafka';
import {
  FileFailed,
  FileFailedV1,
  FileFailedV2,
  FileStored,
  FileStoredV1,
  PlainRequestJoined,
  PlainRequestRefused,
  type Receipt,
  StampConfirmed,
  StampConfirmedV2,
  StampFailed,
  StampFailedV1,
  StampRequested,
  StampRequestJoined,
  StampReverted,
  StampRevertedV2,
  StampsFinalized,
  StampsSubmitted,
  StampsSubmittedV1,
  StampsSubmittedV3,
} from '@indelible/messages';
import { createDatabase, type Database, planning } from '@indelible/postgres';
import { readsOfWholeTables, recordStatements, testDatabase } from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { migrateGateway } from '../src/migrate.ts';
import { forgetRequests } from '../src/projections/forget-requests.ts';
import { noteAccepted } from '../src/projections/note-accepted.ts';
import { findStamp, knownStamps, projectStamps, type StampView } from '../src/projections/stamps.ts';
import { schema } from '../src/schema.ts';
import { logger } from './gateway-harness.ts';

const statements = recordStatements();
let test: Awaited<ReturnType<typeof testDatabase>>;
let database: Database;
beforeAll(async () => {
  test = await testDatabase();
  await migrateGateway(test.url);
  database = createDatabase({ url: test.url, schema, applicationName: 'test', logger });
}, 60_000);
beforeEach(() => database.query('delete from final_blocks'));
afterAll(async () => {
  await database.close();
  await test.drop();
});

const account = `0x${'aa'.repeat(20)}` as const;
const objectCid = cidOfContent('x');
const requestedAt = '2026-01-02T03:04:05.678Z';
const hashOf = (blockNumber: number) => cidOfContent(`block ${blockNumber}`);
const receiptIn = (blockNumber: number): Receipt => ({
  transactionHash: `0x${'ab'.repeat(32)}`,
  logIndex: 0,
  blockNumber,
  blockHash: hashOf(blockNumber),
  blockTime: 1_700_000_000,
  chainId: 31337,
  account,
  setCid: zeroCid,
  objectCid,
});
const message = (
  contract: { readonly type: string; readonly version: number },
  data: object,
  time = new Date().toISOString(),
): IncomingMessage => {
  const { type, version } = contract;
  return { contract, data, id: randomUUID(), type, version, time } as unknown as IncomingMessage;
};

const requestedWith = (content: object | null) => (stampId: string) =>
  message(StampRequested, { stampId, account, objectCid, setCid: zeroCid, requestedAt, content });
const requested = requestedWith(null);
const requestedToStore = requestedWith({ stagedId: randomUUID() });
const submitted = (stampId: string) => submittedTogether(randomUUID(), [stampId]);
const submittedTogether = (batchId: string, stampIds: readonly string[]) =>
  message(StampsSubmitted, { batchId, stamps: stampIds.map((stampId) => ({ stampId })) });
const confirmed = (stampId: string, block = 5) =>
  message(StampConfirmed, { stampId, receipt: receiptIn(block), content: null });
const reverted = (stampId: string) => message(StampReverted, { stampId, formerReceipt: receiptIn(5) });
const finalized = (stampId: string, blockNumber = 5) => finalizedTogether(randomUUID(), [stampId], blockNumber);
const finalizedTogether = (batchId: string, stampIds: readonly string[], blockNumber = 5) =>
  message(StampsFinalized, { batchId, chainId: 31337, blockNumber, blockHash: hashOf(blockNumber), stampIds });
const stored = (stampId: string) =>
  message(FileStored, { stampId, account, objectCid, setCid: zeroCid, fileName: 'f', filePath: 'p/f' });
const notStored = (stampId: string) => message(FileFailed, { stampId, reason: 'its name cannot be stored' });

const formerOf = new Map<object, { readonly type: string; readonly version: number }>([
  [StampsSubmitted, StampsSubmittedV1],
  [StampConfirmed, StampConfirmedV2],
  [StampReverted, StampRevertedV2],
  [StampFailed, StampFailedV1],
  [FileStored, FileStoredV1],
  [FileFailed, FileFailedV1],
]);
/** What a former release told: its versions say less. */
function former(one: IncomingMessage): IncomingMessage {
  const { stamps, ...data } = one.data as { stamps?: readonly { stampId: string }[] };
  const stampIds = stamps?.map(({ stampId }) => stampId);
  const contract = formerOf.get(one.contract);
  return contract === undefined ? one : message(contract, { ...data, ...(stampIds && { stampIds }) });
}
const previousOf = new Map<object, { readonly type: string; readonly version: number }>([
  [StampsSubmitted, StampsSubmittedV3],
  [FileFailed, FileFailedV2],
]);
/** What the release before this one told. */
const previous = (one: IncomingMessage): IncomingMessage =>
  message(previousOf.get(one.contract) ?? one.contract, one.data, one.time);
const newest = (one: IncomingMessage): IncomingMessage => one;

/** Each message in a transaction of its own, or all in one. */
async function projectMessages(messages: readonly IncomingMessage[], together: boolean): Promise<void> {
  const batches = together ? [messages] : messages.map((one) => [one]);
  for (const batch of batches) await database.transaction((client) => projectStamps(client, batch));
}
const viewOf = async (id: string): Promise<StampView | undefined> => findStamp(database, account, id);

describe.each([
  ['one by one', false, newest],
  ['in one batch', true, newest],
  ['one by one, as a former release published them', false, former],
  ['in one batch, as a former release published them', true, former],
  ['one by one, as the release before published them', false, previous],
])('the status view, with messages applied %s', (_how, together, as) => {
  const project = (messages: readonly IncomingMessage[]) => projectMessages(messages.map(as), together);

  it.each<[string, ((id: string) => IncomingMessage)[], Partial<StampView>]>([
    ['a request', [requested], { status: 'accepted', requestedAt: new Date(requestedAt) }],
    ['a submission', [requested, submitted], { status: 'submitted' }],
    ['a confirmation', [requested, submitted, confirmed], { status: 'confirmed', receipt: receiptIn(5) }],
    ['a submission told late', [requested, confirmed, submitted], { status: 'confirmed' }],
    ['a submission told early', [submitted, requested], { status: 'submitted' }],
    ['finality', [requested, confirmed, finalized], { status: 'finalized', receipt: receiptIn(5) }],
    ['finality told early', [requested, finalized, confirmed], { status: 'finalized' }],
    ['finality without a receipt yet', [requested, finalized], { status: 'accepted', receipt: null }],
    ['a reorg', [requested, confirmed, reverted], { status: 'submitted', receipt: null }],
    [
      'a reorg and a new block',
      [requested, confirmed, reverted, (id) => confirmed(id, 6)],
      { status: 'confirmed', receipt: receiptIn(6) },
    ],
    [
      'a reorg of what was final, and a new block',
      [requested, finalized, confirmed, reverted, (id) => confirmed(id, 6)],
      { status: 'confirmed', receipt: receiptIn(6) },
    ],
    [
      'a reorg of what was final, and a new block that is final, too',
      [requested, finalized, confirmed, reverted, (id) => confirmed(id, 6), (id) => finalized(id, 6), finalized],
      { status: 'finalized', receipt: receiptIn(6) },
    ],
    [
      'a block below what is final that is not: the chain turned, or began anew',
      [requested, (id) => finalized(id, 6), confirmed],
      { status: 'confirmed', receipt: receiptIn(5) },
    ],
    ['a file', [requested, confirmed, stored], { status: 'confirmed', fileName: 'f', filePath: 'p/f' }],
    [
      'a confirmation whose file is not stored yet',
      [requestedToStore, confirmed],
      { status: 'submitted', receipt: receiptIn(5) },
    ],
    ['finality while the file is not stored', [requestedToStore, confirmed, finalized], { status: 'submitted' }],
    ['a confirmation and its file', [requestedToStore, confirmed, stored], { status: 'confirmed', filePath: 'p/f' }],
    [
      'a confirmation and why it has no file',
      [requestedToStore, confirmed, notStored],
      { status: 'confirmed', fileFault: 'its name cannot be stored' },
    ],
    [
      'a file that failed before its stamp is confirmed',
      [requestedToStore, notStored, confirmed, finalized],
      { status: 'finalized', fileFault: 'its name cannot be stored' },
    ],
    ['a file told early', [stored, requested, confirmed], { status: 'confirmed', fileName: 'f' }],
  ])('tells %s', async (_what, messages, expected) => {
    const id = randomUUID();
    await project(messages.map((of) => of(id)));
    expect(await viewOf(id)).toMatchObject(expected);
  });

  it('tells of each stamp of a batch that it is submitted, and forgets the batch when it is final and they are told of', async () => {
    const [batchId, ...ids] = Array.from({ length: 4 }, () => randomUUID());
    const [first, second, other] = ids as [string, string, string];
    const kept = async () =>
      (await database.query('select from submitted_batches where batch_id = $1', [batchId])).rows.length;
    await project([...ids.map(requested), submittedTogether(batchId as string, [second, first])]);
    for (const [id, status] of [
      [first, 'submitted'],
      [second, 'submitted'],
      [other, 'accepted'],
    ] as const)
      expect(await viewOf(id)).toMatchObject({ status });
    await project([confirmed(first), finalizedTogether(batchId as string, [second, first])]);
    expect(await viewOf(second)).toMatchObject({ status: 'submitted' });
    expect(await kept()).toBe(1);
    await project([confirmed(second), finalized(other)]);
    expect(await viewOf(second)).toMatchObject({ status: 'finalized' });
    expect(await kept()).toBe(0);
  });

  it('forgets a batch whose place another transaction took when its stamps came to their end with others', async () => {
    const [lost, taken] = [randomUUID(), randomUUID()];
    const [confirmedId, failedId] = [randomUUID(), randomUUID()].sort() as [string, string];
    const refusal = { code: 'stamp-failed', message: 'm' };
    await project([requested(confirmedId), requested(failedId), submittedTogether(lost, [confirmedId, failedId])]);
    await project([
      submittedTogether(taken, [confirmedId]),
      confirmed(confirmedId),
      finalizedTogether(taken, [confirmedId]),
    ]);
    expect(await viewOf(failedId)).toMatchObject({ status: 'submitted' });
    await project([message(StampFailed, { stampId: failedId, refusal })]);
    expect(
      (await database.query('select from submitted_batches where batch_id = any($1)', [[lost, taken]])).rows,
    ).toEqual([]);
  });

  it('tells a failure and why', async () => {
    const id = randomUUID();
    const refusal = { code: 'stamp-failed', message: 'm' };
    await project([requested(id), message(StampFailed, { stampId: id, refusal })]);
    expect(await viewOf(id)).toMatchObject({ status: 'failed', refusal });
  });

  it("answers a joined request's id with the stamp, also when it was told as a stamp of its own before", async () => {
    const [id, joining] = [randomUUID(), randomUUID()];
    const note = () => noteAccepted(database, [{ id: joining, account, objectCid, setCid: zeroCid, requestedAt }]);
    await note();
    expect(await viewOf(joining)).toMatchObject({ id: joining, status: 'accepted' });
    await project([
      requested(id),
      message(StampRequestJoined, { requestId: joining, stampId: id, account, content: null }),
    ]);
    await note();
    expect(await viewOf(joining)).toMatchObject({ id });
  });

  it('answers a joined request that is told before its stamp, under its id without a break (I6)', async () => {
    const [id, joining] = [randomUUID(), randomUUID()];
    const joined = message(PlainRequestJoined, { requestId: joining, stampId: id, account });
    await noteAccepted(database, [{ id: joining, account, objectCid, setCid: objectCid, requestedAt }]);
    await project([joined]);
    expect(await viewOf(joining)).toMatchObject({ id, status: 'accepted' });
    await project([requested(id), confirmed(id)]);
    expect(await viewOf(joining)).toMatchObject({ id, status: 'confirmed', setCid: zeroCid });
    expect((await database.query('select from stamps where id = $1', [joining])).rows).toEqual([]);
  });

  it('notes an accepted request that is known to have joined a stamp as that stamp, when this is not known yet (I6)', async () => {
    const [id, one, other] = [randomUUID(), randomUUID(), randomUUID()];
    const noted = (joining: string) => ({ id: joining, account, objectCid, setCid: objectCid, requestedAt });
    await project([one, other].map((requestId) => message(PlainRequestJoined, { requestId, stampId: id, account })));
    await noteAccepted(database, [noted(one), noted(other)]);
    for (const joining of [one, other]) expect(await viewOf(joining)).toMatchObject({ id, status: 'accepted' });
    await project([requested(id), confirmed(id)]);
    await noteAccepted(database, [noted(one)]);
    for (const joining of [one, other])
      expect(await viewOf(joining)).toMatchObject({ id, status: 'confirmed', setCid: zeroCid });
    expect((await database.query('select from stamps where id = any($1)', [[one, other]])).rows).toEqual([]);
  });

  it('knows a joined request only with its stamp: until then it is not visible yet, and not unknown (I9)', async () => {
    const [id, joining] = [randomUUID(), randomUUID()];
    await project([message(PlainRequestJoined, { requestId: joining, stampId: id, account })]);
    expect([await viewOf(joining), [...(await knownStamps(database, [joining]))]]).toEqual([undefined, []]);
    await project([requested(id)]);
    expect([await viewOf(joining), [...(await knownStamps(database, [joining]))]]).toMatchObject([{ id }, [joining]]);
  });

  it('forgets a request that made no stamp 30 days after its decision, and nothing else', async () => {
    const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
    const refusal = { code: 'too-busy', message: 'm' };
    const decide = (time: string) => {
      const [refusedId, joinedId] = [randomUUID(), randomUUID()];
      const refused = { requestId: refusedId, account, objectCid, setCid: zeroCid, requestedAt, refusal };
      return {
        ids: [refusedId, joinedId],
        messages: [
          message(PlainRequestRefused, refused, time),
          message(PlainRequestJoined, { requestId: joinedId, stampId: confirmedId, account }, time),
        ],
      };
    };
    const [confirmedId, failedId] = [randomUUID(), randomUUID()];
    const [old, kept] = [decide(daysAgo(30.01)), decide(daysAgo(29.99))];
    await project([
      requested(confirmedId),
      confirmed(confirmedId),
      requested(failedId),
      message(StampFailedV1, { stampId: failedId, refusal }, daysAgo(90)),
      ...old.messages,
      ...kept.messages,
    ]);
    // What is delivered again is forgotten all the same.
    await project(old.messages);
    const views = async (ids: readonly string[]) => (await Promise.all(ids.map(viewOf))).map((view) => view?.status);
    expect(await views([...old.ids, ...kept.ids])).toEqual(['failed', 'confirmed', 'failed', 'confirmed']);
    expect([
      await forgetRequests(database, 1),
      await forgetRequests(database, 5),
      await forgetRequests(database),
    ]).toEqual([1, 1, 0]);
    expect(await views([...old.ids, ...kept.ids])).toEqual([undefined, undefined, 'failed', 'confirmed']);
    expect(await views([confirmedId, failedId])).toEqual(['confirmed', 'failed']);
    expect(await knownStamps(database, old.ids)).toEqual(new Set());
    expect((await database.query('select from stamp_aliases where request_id = any($1)', [old.ids])).rows).toEqual([]);
    await database.query('delete from requests_without_stamp');
  });

  it('keeps what is known when an accepted request is noted late', async () => {
    const id = randomUUID();
    await project([requested(id), confirmed(id)]);
    await noteAccepted(database, [
      { id, account, objectCid, setCid: objectCid, requestedAt: new Date().toISOString() },
    ]);
    expect(await viewOf(id)).toMatchObject({
      status: 'confirmed',
      setCid: zeroCid,
      requestedAt: new Date(requestedAt),
    });
  });

  it('finds a stamp whose request is told late only under its account', async () => {
    const id = randomUUID();
    await project([confirmed(id)]);
    expect(await viewOf(id)).toBeUndefined();
    await noteAccepted(database, [{ id, account, objectCid, setCid: zeroCid, requestedAt }]);
    expect(await viewOf(id)).toMatchObject({ status: 'confirmed' });
    expect(await findStamp(database, `0x${'bb'.repeat(20)}`, id)).toBeUndefined();
  });
});

it.each([
  ['one by one', false],
  ['in one batch', true],
])('a batch announced in parts is one batch, with its parts applied %s', async (_how, together) => {
  const batchId = randomUUID();
  const [first, second] = [randomUUID(), randomUUID()] as const;
  const known = async () =>
    (
      await database.query('select cardinality(stamp_ids) as stamps from submitted_batches where batch_id = $1', [
        batchId,
      ])
    ).rows;
  const parts = [submittedTogether(batchId, [second]), submittedTogether(batchId, [first])];
  await projectMessages([requested(first), requested(second), ...parts], together);
  for (const id of [first, second]) expect(await viewOf(id)).toMatchObject({ status: 'submitted' });
  expect(await known()).toEqual([{ stamps: 2 }]);
  await projectMessages([confirmed(first), confirmed(second), finalizedTogether(batchId, [first, second])], together);
  expect(await known()).toEqual([]);
});

it('a request that was noted when it was accepted is not written again when it is decided', async () => {
  const id = randomUUID();
  const versionOf = async () =>
    (await database.query('select xmin, requested_at from stamps where id = $1', [id])).rows;
  await noteAccepted(database, [{ id, account, objectCid, setCid: zeroCid, requestedAt }]);
  const noted = await versionOf();
  expect(noted).toEqual([{ xmin: expect.anything(), requested_at: new Date(requestedAt) }]);
  await projectMessages([requested(id)], false);
  expect(await versionOf()).toEqual(noted);
  await projectMessages([confirmed(id)], false);
  expect(await viewOf(id)).toMatchObject({ status: 'confirmed', receipt: receiptIn(5) });
});

it('no statement of the view reads a whole table, even if it was planned when nothing was there', async () => {
  statements.stop();
  const texts = statements.texts();
  expect(texts.length).toBeGreaterThan(5);
  const whole = await readsOfWholeTables(texts, { url: test.url, schema, settings: planning });
  // Batches under way: few.
  expect(whole.filter((each) => !each.startsWith('submitted_batches: '))).toEqual([]);
});
