import { Readable, Writable } from 'node:stream';
import { checksumAddress } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import type { TestDatabase } from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { defaultSampleSettings, type SampleSettings } from '../../src/matching/sample-sets.ts';
import { projectBlocks } from '../../src/projections/commitments.ts';
import { createCursorWatch } from '../../src/projections/cursor-watch.ts';
import { defaultVerifySettings, type VerifyPorts, verifyCollection } from '../../src/use-cases/verify-collection.ts';
import { block, commitment, hash, user } from '../support/chain.ts';
import {
  closeSessions,
  connect,
  emptyTables,
  logger,
  openSessions,
  roomOf,
  verificationDatabase,
} from '../support/database.ts';
import {
  type Answer,
  type Collection,
  lastLine,
  object,
  objectLine,
  type Requested,
  register,
} from '../support/verify.ts';
import { expectedAnswer, type World } from '../support/verify-oracle.ts';

let server: TestDatabase;
let database: Database;
let ports: VerifyPorts;
beforeAll(async () => {
  server = await verificationDatabase();
  database = connect(server.url);
  // Nobody waits for a block here: the watch is not started.
  const watch = createCursorWatch({ url: server.url, schema: database.schema, logger });
  ports = { watch, sessions: openSessions(server.url), ...roomOf() };
});
beforeEach(() => emptyTables(database));
afterAll(async () => {
  await closeSessions(ports.sessions);
  await database.close();
  await server.drop();
});

/** A set with 80 % of the pairs misses half of 100 sampled ones once in 10^9 times. */
const sampled: SampleSettings = { aboveRows: 0, pairs: 200, minPairs: 100 };
const exact: SampleSettings = { ...sampled, aboveRows: 1_000_000 };
type Pair = { readonly words: string; readonly second: number };

async function collections(
  pairs: readonly Pair[],
  sampling: SampleSettings,
  requested: Requested = {},
): Promise<readonly Collection[]> {
  const upload = [...pairs.map(({ words, second }) => objectLine(object(words, second, words))), lastLine(requested)];
  const parts: Buffer[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      parts.push(Buffer.from(chunk));
      done();
    },
  });
  await verifyCollection(
    ports,
    { caller: user(requested.caller ?? 'alice'), upload: Readable.from([Buffer.from(upload.join(''))]) },
    () => sink,
    new AbortController().signal,
    { ...defaultVerifySettings, sampling },
  );
  const body = JSON.parse(Buffer.concat(parts).toString()) as Answer['body'];
  return body.collections;
}
const names = (found: readonly Collection[]) => found.map(({ name }) => name);
const counts = ({ matched_receipts, unmatched_objects, unmatched_receipts }: Collection) => [
  matched_receipts.length,
  unmatched_objects.length,
  unmatched_receipts.length,
];

/** Puts a world on the chain, a block a second. */
async function build({ commitments, collections: known }: World): Promise<void> {
  await register(database, known);
  const seconds = Math.max(...commitments.map(({ second }) => second));
  for (let second = 0; second <= seconds; second++)
    await projectBlocks(database, [
      block(
        second,
        commitments
          .filter((entry) => entry.second === second)
          .map((entry, i) => commitment(i, entry.owner, entry.set, entry.words)),
      ),
    ]);
}

const pairsOf = (count: number): Pair[] =>
  Array.from({ length: count }, (_value, i) => ({ words: `object ${i}`, second: i % 3 }));
const holding = (owner: string, set: string, pairs: readonly Pair[]) => pairs.map((pair) => ({ owner, set, ...pair }));

describe('inference of many objects', () => {
  const thousand = pairsOf(1_000);

  it('takes a set with exactly 80 % of the pairs, and none with one less, whatever the sample shows of it', async () => {
    await build({
      commitments: [
        ...holding('bob', 'enough', thousand.slice(0, 800)),
        ...holding('bob', 'one less', thousand.slice(201)),
        ...holding('bob', 'three of five', thousand.slice(0, 600)),
      ],
      collections: ['enough', 'one less', 'three of five'].map((name) => ({ owner: 'bob', name, isPublic: true })),
    });
    for (let drawn = 0; drawn < 5; drawn++) {
      const found = await collections(thousand, sampled);
      expect(names(found)).toEqual(['enough']);
      expect(found.map(counts)).toEqual([[800, 200, 0]]);
    }
  });

  it('answers the caller’s own alone when one reaches 80 %, and others’ when it does not', async () => {
    await build({
      commitments: [
        ...holding('alice', 'own', thousand.slice(0, 800)),
        ...holding('bob', 'public', thousand),
        ...holding('bob', 'private', thousand),
      ],
      collections: [
        { owner: 'alice', name: 'own', isPublic: false },
        { owner: 'bob', name: 'public', isPublic: true },
        { owner: 'bob', name: 'private', isPublic: false },
      ],
    });
    expect(names(await collections(thousand, sampled))).toEqual(['own']);
    expect(names(await collections([...thousand, ...pairsOf(1_001).slice(1_000)], sampled))).toEqual(['public']);
    expect(names(await collections(thousand, sampled, { owner: 'bob' }))).toEqual(['public']);
  });

  it('counts distinct pairs: one sent thousands of times is drawn no more likely than another', async () => {
    await build({
      commitments: holding('bob', 'nine', thousand.slice(0, 9)),
      collections: [{ owner: 'bob', name: 'nine', isPublic: true }],
    });
    const missing = Array.from({ length: 3_000 }, () => ({ words: 'elsewhere', second: 1 }));
    const [found, ...others] = await collections([...thousand.slice(0, 9), ...missing], sampled);
    expect([found?.name, others]).toEqual(['nine', []]);
    expect(await collections([...thousand.slice(0, 9), ...missing, ...pairsOf(12).slice(9)], sampled)).toMatchObject([
      { name: null, cid: null },
    ]);
  });

  it('finds no set where none holds half', async () => {
    await build({ commitments: holding('bob', 'few', thousand.slice(0, 300)), collections: [] });
    expect(await collections(thousand, sampled)).toMatchObject([{ name: null, cid: null, matched_receipts: [] }]);
  });

  it('samples uploads of more than a batch', () => {
    expect(defaultSampleSettings).toEqual({ aboveRows: 5_000, pairs: 1_000, minPairs: 300 });
  });
});

/** The same numbers for the same seed: mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

it.each([1, 2, 3, 4])(
  'answers as the naive reading of the decisions does: random world %i',
  async (seed) => {
    const random = randomFrom(seed);
    const some = <Value>(values: readonly Value[], share: number): Value[] => values.filter(() => random() < share);
    const owners = ['alice', 'bob', 'carol'];
    const pairs = pairsOf(1_500);
    const known = some(
      owners.flatMap((owner) => ['photos', 'letters'].map((name) => ({ owner, name }))),
      0.7,
    ).map((each) => ({ ...each, isPublic: random() < 0.7 }));
    const commitments = owners.flatMap((owner) =>
      ['photos', 'letters', undefined].flatMap((set) => {
        const share = [0.3, 0.76, 0.84, 0.95, 1][Math.floor(random() * 5)] ?? 0;
        const held = some(pairs, share);
        return [...held, ...some(held, 0.02), ...some(pairsOf(1_600).slice(1_500), 0.5)].map((pair) => ({
          owner,
          set,
          ...pair,
        }));
      }),
    );
    const world: World = { commitments, collections: known };
    await build(world);
    const objects = [...pairs, ...some(pairs, 0.02)];
    for (const owner of [undefined, ...owners]) {
      const expected = expectedAnswer(world, { objects, name: undefined, owner });
      for (const sampling of [sampled, exact]) {
        const found = await collections(objects, sampling, owner === undefined ? {} : { owner });
        expect(found.map(({ cid }) => cid)).toEqual(expected.map(({ set }) => (set === null ? null : hash(set))));
        expect(found.map(({ user_address }) => user_address)).toEqual(
          expected.map((each) => (each.owner === null ? null : checksumAddress(user(each.owner)))),
        );
        expect(found.map(counts)).toEqual(
          expected.map(({ matched, unmatchedObjects, unmatchedReceipts }) => [
            matched.length,
            unmatchedObjects.length,
            unmatchedReceipts.length,
          ]),
        );
        expect(found.map((each) => each.unmatched_objects.map(({ timestamp }) => timestamp))).toEqual(
          expected.map((each) => each.unmatchedObjects.map((pair) => pair.replace(/ at \d+$/, ''))),
        );
      }
    }
  },
  60_000,
);
