import { type Hex, zeroCid } from '@indelible/identifiers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type ContractEvent,
  decodeSetHead,
  encodeCommitBatch,
  encodeGrant,
  encodeRevoke,
  encodeSetHead,
  estimateBatchSize,
  firstSetHead,
  nextSetHead,
  type Run,
} from '../src/index.ts';
import { addressNumber, type Chain, callData, cidNumber, startChain } from './support/chain.ts';
import { addLane } from './support/lane.ts';
import { encode, eventsOf, outcome } from './support/outcome.ts';

const set = cidNumber(1);
const otherSet = cidNumber(2);
let chain: Chain;
let operator: Hex;
let lane: Hex;
let user: Hex;
let other: Hex;
let next = 1;

beforeAll(async () => {
  chain = await startChain();
  ({ operator, lane } = await addLane(chain, 1));
}, 60_000);
afterAll(async () => chain?.stop());
beforeEach(async () => {
  user = addressNumber(next++);
  other = addressNumber(next++);
  const data = encodeGrant({ delegate: operator });
  await chain.send({ from: user, data }, { from: other, data });
});

const batch = (runs: readonly Run[], objects: readonly Hex[]) => ({
  from: lane,
  data: callData(encodeCommitBatch(runs, objects)),
});
const objects = (count: number) => Array.from({ length: count }, (_, index) => cidNumber(1_000 + index));
const run = (count: number, part: Partial<Run> = {}): Run => ({ user, count, newSet: false, setCid: set, ...part });
const newSet = (setCid = set, of = user) => run(0, { user: of, setCid, newSet: true });

async function headOf(of: Hex, setCid: Hex): Promise<Hex | undefined> {
  const result = await chain.call({ from: lane, data: encodeSetHead({ user: of, setCid }) });
  return decodeSetHead('answer' in result ? result.answer : '0x');
}

/** What a batch must emit, by the specification. */
function expectedEvents(runs: readonly Run[], cids: readonly Hex[], created: ReadonlySet<Run>, timestamp: number) {
  let at = 0;
  return runs.flatMap((part): ContractEvent[] => {
    const { user: of, setCid } = part;
    const own = cids.slice(at, at + part.count);
    at += part.count;
    const first: ContractEvent[] = created.has(part) ? [{ kind: 'AddSet', user: of, setCid }] : [];
    return first.concat(
      own.map((objectCid) =>
        setCid === zeroCid
          ? { kind: 'AddObject', user: of, objectCid, timestamp }
          : { kind: 'AddSetObject', user: of, setCid, objectCid, timestamp },
      ),
    );
  });
}

describe('commitBatch', () => {
  it('records runs of users, sets and loose objects in their order, and rolls the heads', async () => {
    const runs = [
      run(2, { newSet: true }),
      run(9, { user: other, newSet: true }),
      run(2, { setCid: zeroCid }),
      run(17),
      run(1, { setCid: otherSet, newSet: true }),
      run(0),
    ];
    const cids = objects(31);
    const result = await outcome(chain, batch(runs, cids));
    if ('error' in result) throw new Error(result.error);
    const created = new Set([0, 1, 4].map((index) => runs[index]!));
    expect(result.events).toEqual(expectedEvents(runs, cids, created, result.time));
    const first = firstSetHead(user, set);
    expect(await headOf(user, set)).toBe([...cids.slice(0, 2), ...cids.slice(13, 30)].reduce(nextSetHead, first));
    expect(await headOf(other, set)).toBe(cids.slice(2, 11).reduce(nextSetHead, firstSetHead(other, set)));
    expect(await headOf(user, otherSet)).toBe(nextSetHead(firstSetHead(user, otherSet), cids[30]!));
  });

  it.each([1, 7, 8, 9, 15, 16, 17, 33])(
    'records %i objects of a run, whatever the width of its loop',
    async (count) => {
      await eventsOf(chain, batch([newSet()], []));
      const cids = objects(count);
      const events = await eventsOf(chain, batch([run(count)], cids));
      expect(events.map((event) => event.kind === 'AddSetObject' && event.objectCid)).toEqual(cids);
      expect(await headOf(user, set)).toBe(cids.reduce(nextSetHead, firstSetHead(user, set)));
    },
  );

  it('gives the head that the same objects one by one give', async () => {
    await eventsOf(chain, batch([run(3, { newSet: true })], objects(3)));
    await eventsOf(chain, { from: other, data: encode('addSet', set) });
    for (const cid of objects(3)) await eventsOf(chain, { from: other, data: encode('addSetObject', set, cid) });
    expect(await headOf(other, set)).toBe(objects(3).reduce(nextSetHead, firstSetHead(other, set)));
    expect(await headOf(user, set)).toBe(objects(3).reduce(nextSetHead, firstSetHead(user, set)));
  });

  it('takes newSet for a set that stands as nothing: no second AddSet, the head stays (I5)', async () => {
    expect(await eventsOf(chain, batch([newSet(), newSet()], []))).toEqual([{ kind: 'AddSet', user, setCid: set }]);
    await eventsOf(chain, batch([run(1)], objects(1)));
    const head = await headOf(user, set);
    expect(await eventsOf(chain, batch([newSet()], []))).toEqual([]);
    expect(await headOf(user, set)).toBe(head);
    expect(await eventsOf(chain, batch([run(1, { newSet: true })], objects(1)))).toHaveLength(1);
  });

  it('takes an empty batch as nothing', async () => {
    expect(await eventsOf(chain, batch([], []))).toEqual([]);
  });

  it('refuses a set that is not committed, with objects or without', async () => {
    expect(await outcome(chain, batch([run(1)], objects(1)))).toEqual({ error: 'InvalidSet' });
    expect(await outcome(chain, batch([run(0)], []))).toEqual({ error: 'InvalidSet' });
  });

  it('refuses the zero set as a new one', async () => {
    expect(await outcome(chain, batch([newSet(zeroCid)], []))).toEqual({ error: 'InvalidSet' });
  });

  it('records all or nothing', async () => {
    const runs = [run(1, { newSet: true }), run(1, { setCid: otherSet })];
    expect(await outcome(chain, batch(runs, objects(2)))).toEqual({ error: 'InvalidSet' });
    expect(await headOf(user, set)).toBeUndefined();
  });

  const word = (value: bigint) => value.toString(16).padStart(64, '0');
  it.each([
    ['more', 3n],
    ['fewer', 1n],
    ['none', 0n],
    ['so many that their bytes overflow the end', 2n ** 251n + 2n],
    ['as many as a word can name', 2n ** 256n - 1n],
  ])('refuses runs that do not cover the objects: %s', async (_, count) => {
    const { from, data } = batch([run(2, { newSet: true })], objects(2));
    // Behind the selector, two offsets, the number of runs and the run's user.
    const countAt = 2 + 2 * (4 + 4 * 32);
    const forged: Hex = `0x${data.slice(2, countAt)}${word(count)}${data.slice(countAt + 64)}`;
    expect(await outcome(chain, { from, data: forged })).toEqual({ error: 'InvalidBatch' });
  });

  it('refuses a user who has not granted, wherever the run is', async () => {
    const stranger = addressNumber(next++);
    const foreign = run(1, { user: stranger, newSet: true });
    const own = run(1, { newSet: true });
    for (const runs of [[foreign], [own, foreign], [foreign, own], [own, foreign, own]]) {
      expect(await outcome(chain, batch(runs, objects(runs.length)))).toEqual({ error: 'Unauthorized' });
    }
    const loose = run(1, { user: stranger, setCid: zeroCid });
    expect(await outcome(chain, batch([loose], objects(1)))).toEqual({ error: 'Unauthorized' });
  });

  it('refuses the zero user and a word that only ends like a granted user', async () => {
    const zeroUser: Hex = `0x${'0'.repeat(40)}`;
    expect(await outcome(chain, batch([run(1, { user: zeroUser, setCid: zeroCid })], objects(1)))).toEqual({
      error: 'Unauthorized',
    });
    const { from, data } = batch([run(1, { setCid: zeroCid })], objects(1));
    const forged = data.replace(`${'0'.repeat(24)}${user.slice(2)}`, `${'1'.repeat(24)}${user.slice(2)}`) as Hex;
    expect(forged).not.toBe(data);
    expect(await outcome(chain, { from, data: forged })).toEqual({ error: 'Unauthorized' });
  });

  it.each(['f'.repeat(64), `1${'0'.repeat(63)}`, `${'0'.repeat(23)}1${'0'.repeat(40)}`])(
    'refuses a user word that is no address in the first run, from anybody: %s',
    async (userWord) => {
      const userAt = 2 + 2 * (4 + 3 * 32);
      for (const one of [run(1, { setCid: zeroCid }), run(1, { newSet: true })])
        for (const from of [addressNumber(next++), lane, operator]) {
          const { data } = batch([one], objects(1));
          const forged: Hex = `0x${data.slice(2, userAt)}${userWord}${data.slice(userAt + 64)}`;
          expect(await outcome(chain, { from, data: forged })).toEqual({ error: 'Unauthorized' });
        }
    },
  );

  it('ends with the grant, for every lane at once', async () => {
    await eventsOf(chain, batch([newSet()], []));
    await eventsOf(chain, { from: user, data: encodeRevoke({ delegate: operator }) });
    expect(await outcome(chain, batch([run(1)], objects(1)))).toEqual({ error: 'Unauthorized' });
  });

  it('lets an operator write without a lane, and anybody for itself', async () => {
    const { data } = batch([newSet()], []);
    expect(await eventsOf(chain, { from: operator, data })).toHaveLength(1);
    expect(await eventsOf(chain, { ...batch([newSet(otherSet)], []), from: user })).toHaveLength(1);
    expect(await eventsOf(chain, batch([newSet(set, lane)], []))).toHaveLength(1);
  });

  it('takes no more gas than estimated, for runs of any kind', async () => {
    const runs: Run[] = [];
    for (let index = 0; index < 40; index += 1) {
      const setCid = index % 5 === 4 ? zeroCid : cidNumber(5_000 + (index % 20));
      runs.push(run((index * 7) % 23, { user: index % 2 === 0 ? user : other, setCid, newSet: setCid !== zeroCid }));
    }
    const cids = objects(runs.reduce((sum, part) => sum + part.count, 0));
    const [receipt] = await chain.send(batch(runs, cids));
    expect(receipt?.status).toBe('0x1');
    expect(Number(receipt?.gasUsed)).toBeLessThanOrEqual(estimateBatchSize(runs).gas);
  });
});
