import { type Hex, zeroCid } from '@indelible/identifiers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { encodeGrant, firstSetHead, nextSetHead } from '../src/index.ts';
import { addressNumber, type Chain, cidNumber, startChain } from './support/chain.ts';
import { encode, eventsOf, outcome, outsider, view } from './support/outcome.ts';

const [a, b, c] = [cidNumber(1), cidNumber(2), cidNumber(3)];
const [set, otherSet] = [cidNumber(4), cidNumber(5)];
let chain: Chain;
let user: Hex;
let delegate: Hex;
let next = 1;

beforeAll(async () => {
  chain = await startChain();
}, 60_000);
afterAll(async () => chain?.stop());
beforeEach(() => {
  user = addressNumber(next++);
  delegate = addressNumber(next++);
});

/** The two families: the sender for itself, and a delegate for a user. */
const families = [
  {
    family: 'for the sender',
    call: (name: string, ...values: unknown[]) => ({ from: user, data: encode(`add${name}`, ...values) }),
  },
  {
    family: 'for a user by a delegate',
    call: (name: string, ...values: unknown[]) => ({ from: delegate, data: encode(`addUser${name}`, user, ...values) }),
  },
];

describe.each(families)('$family', ({ call }) => {
  beforeEach(async () => {
    await eventsOf(chain, { from: user, data: encodeGrant({ delegate }) });
  });

  const setIsThere = async (setCid: Hex) => (await view(chain, 'userSetCommitments', [user, setCid]))[0];
  const headOf = async (setCid: Hex) => (await view(chain, 'setHead', [user, setCid]))[0];

  it('records a set once: the second time nothing happens', async () => {
    expect(await setIsThere(set)).toBe(false);
    expect(await headOf(set)).toBe(zeroCid);
    expect(await eventsOf(chain, call('Set', set))).toEqual([{ kind: 'AddSet', user, setCid: set }]);
    expect(await setIsThere(set)).toBe(true);
    expect(await headOf(set)).toBe(firstSetHead(user, set));
    await eventsOf(chain, call('SetObject', set, a));
    const head = await headOf(set);
    expect(await eventsOf(chain, call('Set', set))).toEqual([]);
    expect(await headOf(set)).toBe(head);
  });

  it('records an object without a set, at the time of its block', async () => {
    const result = await outcome(chain, call('Object', a));
    expect(result).toEqual({
      events: [{ kind: 'AddObject', user, objectCid: a, timestamp: expect.any(Number) }],
      time: expect.any(Number),
    });
    expect(result).toHaveProperty('events.0.timestamp', 'time' in result ? result.time : undefined);
  });

  it('records an object in a committed set and rolls its head', async () => {
    await eventsOf(chain, call('Set', set));
    const result = await outcome(chain, call('SetObject', set, a));
    const timestamp = 'time' in result ? result.time : undefined;
    expect(result).toMatchObject({ events: [{ kind: 'AddSetObject', user, setCid: set, objectCid: a, timestamp }] });
    expect(await headOf(set)).toBe(nextSetHead(firstSetHead(user, set), a));
  });

  it('records a batch in one set in order, the same object twice included', async () => {
    await eventsOf(chain, call('Set', set));
    const result = await outcome(chain, call('SetObjectsBatch', set, [b, a, b]));
    const timestamp = 'time' in result ? result.time : undefined;
    const event = (objectCid: Hex) => ({ kind: 'AddSetObject', user, setCid: set, objectCid, timestamp });
    expect(result).toMatchObject({ events: [event(b), event(a), event(b)] });
    expect(await headOf(set)).toBe([b, a, b].reduce(nextSetHead, firstSetHead(user, set)));
    expect(await eventsOf(chain, call('SetObjectsBatch', set, []))).toEqual([]);
    expect(await headOf(set)).toBe([b, a, b].reduce(nextSetHead, firstSetHead(user, set)));
  });

  it('records pairs of sets and objects', async () => {
    await eventsOf(chain, call('Set', set));
    await eventsOf(chain, call('Set', otherSet));
    const events = await eventsOf(chain, call('SetsObjectsBatch', [set, otherSet, set], [a, b, c]));
    expect(events).toMatchObject([
      { kind: 'AddSetObject', user, setCid: set, objectCid: a },
      { kind: 'AddSetObject', user, setCid: otherSet, objectCid: b },
      { kind: 'AddSetObject', user, setCid: set, objectCid: c },
    ]);
    expect(await headOf(set)).toBe([a, c].reduce(nextSetHead, firstSetHead(user, set)));
    expect(await headOf(otherSet)).toBe(nextSetHead(firstSetHead(user, otherSet), b));
  });

  it('refuses the zero set, and objects of a set that is not committed', async () => {
    await eventsOf(chain, call('Set', set));
    for (const refused of [
      call('Set', zeroCid),
      call('SetObject', zeroCid, a),
      call('SetObject', otherSet, a),
      call('SetObjectsBatch', otherSet, [a]),
      call('SetObjectsBatch', otherSet, []),
      call('SetsObjectsBatch', [set, otherSet], [a, b]),
    ]) {
      expect(await outcome(chain, refused)).toEqual({ error: 'InvalidSet' });
    }
    expect(await headOf(set)).toBe(firstSetHead(user, set));
  });

  it('refuses a batch whose lengths differ', async () => {
    await eventsOf(chain, call('Set', set));
    expect(await outcome(chain, call('SetsObjectsBatch', [set], [a, b]))).toEqual({ error: 'InvalidBatch' });
  });
});

describe('authority', () => {
  it('refuses a sender that the user has not granted, in every function', async () => {
    const cids = [[set], [a]];
    for (const [name, ...values] of [
      ['addUserSet', user, set],
      ['addUserObject', user, a],
      ['addUserSetObject', user, set, a],
      ['addUserSetObjectsBatch', user, set, [a]],
      ['addUserSetsObjectsBatch', user, ...cids],
      ['addUsersSetsObjectsBatch', [user], ...cids],
    ] as const) {
      expect(await outcome(chain, { from: outsider, data: encode(name, ...values) })).toEqual({
        error: 'Unauthorized',
      });
    }
  });

  it('lets a user always write for itself', async () => {
    expect(await eventsOf(chain, { from: user, data: encode('addUserSet', user, set) })).toHaveLength(1);
    expect(await view(chain, 'checkAuthority', [user], user)).toEqual([true]);
  });

  it('is of the user alone: sets of the same CID are apart', async () => {
    await eventsOf(chain, { from: user, data: encode('addSet', set) });
    expect(await view(chain, 'userSetCommitments', [delegate, set])).toEqual([false]);
    expect(await outcome(chain, { from: delegate, data: encode('addSetObject', set, a) })).toEqual({
      error: 'InvalidSet',
    });
  });
});

describe('addUsersSetsObjectsBatch', () => {
  const batch = (users: Hex[], sets: Hex[], objects: Hex[]) => ({
    from: delegate,
    data: encode('addUsersSetsObjectsBatch', users, sets, objects),
  });

  it('records objects of several users, all or none', async () => {
    const second = addressNumber(next++);
    for (const from of [user, second]) {
      await eventsOf(chain, { from, data: encodeGrant({ delegate }) });
      await eventsOf(chain, { from, data: encode('addSet', set) });
    }
    expect(await eventsOf(chain, batch([user, second, user], [set, set, set], [a, b, c]))).toMatchObject([
      { kind: 'AddSetObject', user, setCid: set, objectCid: a },
      { kind: 'AddSetObject', user: second, setCid: set, objectCid: b },
      { kind: 'AddSetObject', user, setCid: set, objectCid: c },
    ]);
    const stranger = addressNumber(next++);
    expect(await outcome(chain, batch([user, stranger], [set, set], [a, b]))).toEqual({ error: 'Unauthorized' });
    expect(await outcome(chain, batch([user, second], [set, otherSet], [a, b]))).toEqual({ error: 'InvalidSet' });
  });

  it('refuses lengths that differ', async () => {
    expect(await outcome(chain, batch([user], [set], []))).toEqual({ error: 'InvalidBatch' });
    expect(await outcome(chain, batch([user], [], [a]))).toEqual({ error: 'InvalidBatch' });
    expect(await outcome(chain, batch([], [set], [a]))).toEqual({ error: 'InvalidBatch' });
  });
});
