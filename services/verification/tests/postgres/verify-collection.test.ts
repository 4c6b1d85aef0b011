// Long, since every rule of matching is shown on one database.
import { checksumAddress } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { type Component, createInternalServer, startAll, stopAll } from '@indelible/service-runtime';
import type { TestDatabase } from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { projectBlocks } from '../../src/projections/commitments.ts';
import { type CursorWatch, createCursorWatch } from '../../src/projections/cursor-watch.ts';
import { createRoutes } from '../../src/service.ts';
import type { VerifyPorts } from '../../src/use-cases/verify-collection.ts';
import { block, chainId, commitment, hash, user } from '../support/chain.ts';
import {
  closeSessions,
  connect,
  emptyTables,
  logger,
  openSessions,
  roomOf,
  verificationDatabase,
} from '../support/database.ts';
import { type Collection, object, type Requested, register, type Submitted, verify } from '../support/verify.ts';

let server: TestDatabase;
let database: Database;
let sessions: VerifyPorts['sessions'];
let watch: Component & CursorWatch;
let http: Component & { port(): number };
beforeAll(async () => {
  server = await verificationDatabase();
  database = connect(server.url);
  sessions = openSessions(server.url);
  watch = createCursorWatch({ url: server.url, schema: database.schema, logger });
  http = createInternalServer({
    host: '127.0.0.1',
    port: 0,
    logger,
    components: () => [],
    routes: createRoutes({ database, watch, sessions, ...roomOf(), logger }),
  });
  await startAll([watch, http]);
});
beforeEach(() => emptyTables(database));
afterAll(async () => {
  await stopAll([watch, http]);
  await closeSessions(sessions);
  await database.close();
  await server.drop();
});

/** Each entry [second, owner, set, object] is a commitment; those of a second share a block, in order. */
async function onChain(entries: readonly (readonly [number, string, string | undefined, string])[]): Promise<void> {
  const seconds = Math.max(...entries.map(([second]) => second));
  for (let second = 0; second <= seconds; second++)
    await projectBlocks(database, [
      block(
        second,
        entries
          .filter(([at]) => at === second)
          .map(([, owner, set, words], logIndex) => commitment(logIndex, owner, set, words)),
      ),
    ]);
}

async function collections(objects: readonly Submitted[], requested: Requested = {}): Promise<readonly Collection[]> {
  const answer = await verify(http.port(), objects, requested);
  expect(answer).toEqual({ status: 200, retryAfter: null, body: { collections: expect.any(Array) } });
  return answer.body.collections;
}
const names = (found: readonly Collection[]) => found.map((collection) => collection.name);
/** How many of each list. */
const counts = (collection: Collection | undefined) => [
  collection?.matched_receipts.length,
  collection?.unmatched_objects.length,
  collection?.unmatched_receipts.length,
];
const many = (count: number) => Array.from({ length: count }, (_value, i) => `object ${i}`);

describe('matching objects and receipts', () => {
  beforeEach(() => register(database, [{ owner: 'alice', name: 'Photos' }]));

  it('matches by CID and instant to the second; each side’s leftovers are the unmatched lists', async () => {
    await onChain([
      [1, 'alice', 'Photos', 'cat'],
      [2, 'alice', 'Photos', 'dog'],
    ]);
    const [found, ...others] = await collections(
      [object('cat', 1), object('dog', 1, '2023-11-14 22:13:21.5+00:00'), object('cow', 2)],
      { name: 'Photos' },
    );
    const receipt = (words: string, second: number) => ({
      transaction_hash: hash(`tx of alice Photos ${words}`),
      user_address: checksumAddress(user('alice')),
      set_cid: hash('Photos'),
      object_cid: hash(words),
      timestamp: `2023-11-14T22:13:2${second}+00:00`,
      chain_id: chainId,
    });
    expect(others).toEqual([]);
    expect(found).toEqual({
      name: 'Photos',
      cid: hash('Photos'),
      user_address: checksumAddress(user('alice')),
      matched_receipts: [receipt('cat', 1)],
      unmatched_objects: [
        { cid: hash('dog'), timestamp: '2023-11-14 22:13:21.5+00:00' },
        { cid: hash('cow'), timestamp: 'sent for cow at 2' },
      ],
      unmatched_receipts: [receipt('dog', 2)],
    });
  });

  it('matches one to one: a double on either side needs two on the other', async () => {
    await onChain([
      [1, 'alice', 'Photos', 'cat'],
      [1, 'alice', 'Photos', 'cat'],
      [1, 'alice', 'Photos', 'dog'],
    ]);
    const cats = [object('cat', 1)];
    const dogs = [object('dog', 1, 'first'), object('dog', 1, 'second'), object('dog', 1, 'third')];
    const [found] = await collections([...cats, ...dogs], { name: 'Photos' });
    expect(counts(found)).toEqual([2, 2, 1]);
    expect(found?.unmatched_objects.map(({ timestamp }) => timestamp)).toEqual(['second', 'third']);
  });

  it('returns an unmatched object’s timestamp as it was sent, whatever characters it has', async () => {
    await onChain([[1, 'alice', 'Photos', 'cat']]);
    const sent = '2023\\n\t\r\n"é\\.😀';
    const [found] = await collections([object('cow', 1, sent)], { name: 'Photos' });
    expect(found?.unmatched_objects).toEqual([{ cid: hash('cow'), timestamp: sent }]);
  });

  it('does not count another owner’s receipts of the same set CID', async () => {
    await onChain([
      [1, 'bob', 'Photos', 'cat'],
      [1, 'alice', 'Photos', 'dog'],
    ]);
    expect(counts((await collections([object('cat', 1)], { name: 'Photos' }))[0])).toEqual([0, 1, 1]);
  });

  it('answers all receipts of a named collection as unmatched for no objects', async () => {
    await onChain([
      [1, 'alice', 'Photos', 'cat'],
      [2, 'alice', 'Photos', 'dog'],
    ]);
    expect(counts((await collections([], { name: 'Photos' }))[0])).toEqual([0, 0, 2]);
  });

  it('refuses no objects without a named collection', async () => {
    for (const requested of [{}, { owner: 'alice' }])
      expect(await verify(http.port(), [], requested)).toMatchObject({
        status: 400,
        body: { error: 'invalid request', details: expect.stringContaining('objects') },
      });
  });

  it('answers lists longer than a page in order', async () => {
    const words = many(4_500);
    await projectBlocks(database, [
      block(
        1,
        words.map((each, i) => commitment(i, 'alice', 'Photos', each)),
      ),
    ]);
    const unknown = many(4_500).map((each) => object(`unknown ${each}`, 1));
    const submitted = [...words.slice(0, 2_300).map((each) => object(each, 1)), ...unknown];
    const [found] = await collections(submitted, { name: 'Photos' });
    expect(found?.matched_receipts.map((receipt) => receipt.object_cid)).toEqual(words.slice(0, 2_300).map(hash));
    expect(found?.unmatched_receipts.map((receipt) => receipt.object_cid)).toEqual(words.slice(2_300).map(hash));
    expect(found?.unmatched_objects.map(({ cid }) => cid)).toEqual(unknown.map(({ cid }) => cid));
  });
});

describe('a named collection', () => {
  it('is the caller’s own, found in any letter case and named as stored, private or not', async () => {
    await register(database, [
      { owner: 'alice', name: 'Photos', isPublic: false },
      { owner: 'bob', name: 'Photos' },
    ]);
    await onChain([[1, 'bob', 'Photos', 'cat']]);
    const found = await collections([object('cat', 1)], { name: 'pHOTOS' });
    expect(found).toMatchObject([{ name: 'Photos', user_address: checksumAddress(user('alice')) }]);
    expect(counts(found[0])).toEqual([0, 1, 0]);
  });

  it('is the given owner’s when an address is given', async () => {
    await register(database, [
      { owner: 'alice', name: 'Photos' },
      { owner: 'bob', name: 'photos', set: 'Photos' },
    ]);
    await onChain([[1, 'bob', 'Photos', 'cat']]);
    const found = await collections([object('cat', 1)], { name: 'PHOTOS', owner: 'bob' });
    expect(found).toMatchObject([{ name: 'photos', user_address: checksumAddress(user('bob')) }]);
    expect(counts(found[0])).toEqual([1, 0, 0]);
  });

  it.each([
    ['with an address that has none of that name', 'bob', checksumAddress(user('bob'))],
    ['with an address whose one is private', 'carol', checksumAddress(user('carol'))],
    ['with no address and no public one', undefined, null],
  ])(
    'not found, %s: one entry with name and address as requested and every object unmatched',
    async (_case, owner, address) => {
      await register(database, [{ owner: 'carol', name: 'Secret', isPublic: false }]);
      await onChain([[1, 'carol', 'Secret', 'cat']]);
      const requested = owner === undefined ? { name: 'SeCret' } : { name: 'SeCret', owner };
      expect(await collections([object('cat', 1), object('cat', 1)], requested)).toEqual([
        {
          name: 'SeCret',
          cid: null,
          user_address: address,
          matched_receipts: [],
          unmatched_objects: Array(2).fill({ cid: hash('cat'), timestamp: 'sent for cat at 1' }),
          unmatched_receipts: [],
        },
      ]);
    },
  );

  it('without an address and not the caller’s is any owner’s public ones, best match first, at most five', async () => {
    const owners = ['bob', 'carol', 'dave', 'erin', 'frank', 'grace', 'heidi'];
    await register(database, [
      ...owners.map((owner) => ({ owner, name: 'Photos' })),
      { owner: 'ivan', name: 'Photos', isPublic: false },
    ]);
    await onChain([
      [1, 'ivan', 'Photos', 'cat'],
      [1, 'ivan', 'Photos', 'dog'],
      [1, 'carol', 'Photos', 'cat'],
      [1, 'grace', 'Photos', 'cat'],
      [1, 'grace', 'Photos', 'dog'],
      [2, 'heidi', 'Photos', 'cat'],
      [2, 'heidi', 'Photos', 'unasked'],
      [2, 'bob', 'Photos', 'dog'],
      [1, 'bob', 'Photos', 'cat'],
      [3, 'bob', 'Photos', 'unasked'],
    ]);
    const found = await collections([object('cat', 1), object('dog', 1)], { name: 'photos' });
    expect(found).toHaveLength(5);
    // Two of two; one without leftovers; one with two leftovers; then those that hold none, without leftovers.
    expect(found.slice(0, 3).map((collection) => collection.user_address)).toEqual(
      ['grace', 'carol', 'bob'].map((owner) => checksumAddress(user(owner))),
    );
    expect(found.map(counts)).toEqual([
      [2, 0, 0],
      [1, 1, 0],
      [1, 1, 2],
      [0, 2, 0],
      [0, 2, 0],
    ]);
  });
});

describe('inference', () => {
  /** The set holds the first `held` of ten objects. */
  const holding = (owner: string, set: string, held: number) =>
    many(held).map((words) => [1, owner, set, words] as const);
  const ten = many(10).map((words) => object(words, 1));
  const nothing = (address: string | null, objects: readonly Submitted[]) => [
    {
      name: null,
      cid: null,
      user_address: address,
      matched_receipts: [],
      unmatched_objects: objects.map(({ cid, sent }) => ({ cid, timestamp: sent })),
      unmatched_receipts: [],
    },
  ];

  it('takes the sets that hold at least 80 % of the distinct pairs', async () => {
    await register(database, [
      { owner: 'alice', name: 'eight' },
      { owner: 'alice', name: 'seven' },
    ]);
    await onChain([...holding('alice', 'eight', 8), ...holding('alice', 'seven', 7)]);
    expect(names(await collections(ten))).toEqual(['eight']);
  });

  it('counts a pair once however often it was submitted or committed', async () => {
    await register(database, [{ owner: 'alice', name: 'seven' }]);
    await onChain([...holding('alice', 'seven', 7), ...holding('alice', 'seven', 7)]);
    const repeated = Array.from({ length: 20 }, () => object('object 0', 1));
    expect(await collections([...ten, ...repeated])).toEqual(nothing(null, [...ten, ...repeated]));
    // Five distinct pairs of which four are held reach 80 %, though most objects sent are the fifth.
    const missing = Array.from({ length: 20 }, () => object('elsewhere', 1));
    const [found] = await collections([...ten.slice(0, 4), ...missing]);
    expect([found?.name, ...counts(found)]).toEqual(['seven', 4, 20, 10]);
  });

  it('asks for all pairs when they are fewer than five', async () => {
    await register(database, [{ owner: 'alice', name: 'three' }]);
    await onChain(holding('alice', 'three', 3));
    expect(await collections(ten.slice(0, 4))).toEqual(nothing(null, ten.slice(0, 4)));
    expect(names(await collections(ten.slice(0, 3)))).toEqual(['three']);
  });

  it('does not take a CID at another second for the pair', async () => {
    await onChain(holding('alice', 'set', 2));
    const late = [object('object 0', 1), object('object 1', 2)];
    expect(await collections(late)).toEqual(nothing(null, late));
  });

  it('answers the caller’s own sets alone, private ones too, though others hold more', async () => {
    await register(database, [
      { owner: 'alice', name: 'eight', isPublic: false },
      { owner: 'bob', name: 'ten' },
    ]);
    await onChain([...holding('alice', 'eight', 8), ...holding('bob', 'ten', 10)]);
    expect(names(await collections(ten))).toEqual(['eight']);
  });

  it('else answers any owner’s public ones, also sets of no known collection, and no private one', async () => {
    await register(database, [
      { owner: 'bob', name: 'public' },
      { owner: 'bob', name: 'private', isPublic: false },
    ]);
    await onChain([
      ...holding('bob', 'public', 10),
      ...holding('bob', 'private', 10),
      ...holding('carol', 'of another tool', 9),
    ]);
    expect(await collections(ten)).toMatchObject([
      { name: 'public', cid: hash('public'), user_address: checksumAddress(user('bob')) },
      { name: null, cid: hash('of another tool'), user_address: checksumAddress(user('carol')) },
    ]);
  });

  it('answers at most five, by share, then fewer unmatched receipts, then the earlier first commitment', async () => {
    const sets = ['late', 'early', 'leftover', 'nine', 'eight', 'eight and more'];
    await register(
      database,
      sets.map((name) => ({ owner: 'bob', name })),
    );
    await onChain([
      ...holding('bob', 'late', 10),
      ...holding('bob', 'early', 10),
      ...holding('bob', 'leftover', 10),
      ...holding('bob', 'nine', 9),
      ...holding('bob', 'eight', 8),
      ...holding('bob', 'eight and more', 8),
      [0, 'bob', 'early', 'before'],
      [2, 'bob', 'late', 'after'],
      [0, 'bob', 'leftover', 'before'],
      [0, 'bob', 'leftover', 'before'],
      [0, 'bob', 'eight and more', 'before'],
    ]);
    expect(names(await collections(ten))).toEqual(['early', 'late', 'leftover', 'nine', 'eight']);
  });

  it('stays within the owner when an address is given without a name', async () => {
    await register(database, [
      { owner: 'alice', name: 'own' },
      { owner: 'bob', name: 'theirs' },
      { owner: 'bob', name: 'private', isPublic: false },
    ]);
    await onChain([
      ...holding('alice', 'own', 10),
      ...holding('bob', 'theirs', 8),
      ...holding('bob', 'private', 10),
      ...holding('carol', 'else', 10),
    ]);
    expect(names(await collections(ten, { owner: 'bob' }))).toEqual(['theirs']);
    expect(names(await collections(ten, { owner: 'alice' }))).toEqual(['own']);
    expect(await collections(ten, { owner: 'dave' })).toEqual(nothing(checksumAddress(user('dave')), ten));
  });

  it('takes objects without a collection for no candidate', async () => {
    await onChain(many(10).map((words) => [1, 'alice', undefined, words] as const));
    expect(await collections(ten)).toEqual(nothing(null, ten));
  });
});
