import { cidOfContent, type Hex, newId } from '@indelible/identifiers';
import type { Receipt } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import { createLog } from '../../tests/support/log-in-memory.ts';
import type { BatchState } from './batch-state.ts';
import { createEventWriter, type NewEvent } from './event-of.ts';
import type { Collection, Fact, FileFact, Place, Stamp } from './facts.ts';
import { collectionKey, type Memory, type Projection, project } from './project.ts';
import type { StampNote } from './stamp-order.ts';

const write = createEventWriter('0x5fbdb2315678afecb367f032d93f642f64180aa3');
const account: Hex = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const setCid = cidOfContent('Forest');
const stampOf = (name: string): Stamp => ({
  stampId: `00000000-0000-7000-8000-${cidOfContent(name).slice(2, 14)}`,
  requestId: null,
  account,
  setCid,
  objectCid: cidOfContent(name),
  collectionName: 'Forest',
  clientRef: name,
});
const stamp = stampOf('one');
const receiptIn = (block: string): Receipt => ({
  transactionHash: cidOfContent('transaction'),
  logIndex: 1,
  blockNumber: 7,
  blockHash: cidOfContent(block),
  blockTime: 1_795_000_000,
  chainId: 31337,
  account,
  setCid,
  objectCid: stamp.objectCid,
});
const envelope = () => ({ messageId: newId(), time: '2026-11-21T04:10:08.123Z' });
const batchId = newId();
const submitted = (batch = batchId, stamps = [stamp], part = 1, parts = 1): Fact => ({
  ...envelope(),
  kind: 'submitted',
  batchId: batch,
  part,
  parts,
  stamps,
});
/** Submitted in another transaction, after this many reversions. */
const submittedAgain = (batch: string, attempt: number, reversions: number, of: Stamp = stamp): Fact =>
  submitted(batch, [{ ...of, place: { attempt, reversions } } as Stamp & { place: Place }]);
const confirmed = (block = 'A', batch = batchId, of = stamp): Fact => ({
  ...envelope(),
  kind: 'confirmed',
  batchId: batch,
  stamp: of,
  receipt: receiptIn(block),
});
const reverted = (block = 'A', batch = batchId): Fact => ({
  ...envelope(),
  kind: 'reverted',
  batchId: batch,
  stamp,
  receipt: receiptIn(block),
});
const finalized = (block = 'A', batch = batchId, stamps = [stamp]): Fact => ({
  ...envelope(),
  kind: 'finalized',
  batchId: batch,
  blockHash: cidOfContent(block),
  stampIds: stamps.map(({ stampId }) => stampId),
});
const failed = (): Fact => ({ ...envelope(), kind: 'failed', stamp, refusal: { code: 'x', message: 'y' } });
const stored = (withStamp = true): Fact => ({
  ...envelope(),
  kind: 'file-stored',
  stamp,
  fileName: 'a.txt',
  filePath: 'b/a.txt',
  withStamp,
});
const unstorable = (): Fact => ({ ...envelope(), kind: 'file-failed', stamp, reason: 'missing', withStamp: true });

/** Like the tables: keeps state from one projection to the next, as JSON. */
function createMemory() {
  const batches = new Map<string, BatchState>();
  const confirmedIds = new Set<string>();
  const failedIds = new Set<string>();
  const early = new Map<string, FileFact[]>();
  const collections = new Map<string, Collection>();
  const notes = new Map<string, StampNote>();
  const log = createLog();
  const memory: Memory = {
    ...{ batches, ...log.memory, confirmed: confirmedIds, failed: failedIds, notes, earlyFiles: early, collections },
  };
  const remember = (result: Projection): void => {
    log.append(result.events);
    for (const [id, state] of result.batches) batches.set(id, JSON.parse(JSON.stringify(state)));
    for (const id of result.confirmed) confirmedIds.add(id);
    for (const id of result.failed) failedIds.add(id);
    for (const [id, note] of result.notes)
      if (note === undefined) notes.delete(id);
      else notes.set(id, JSON.parse(JSON.stringify(note)));
    for (const { stamp } of result.released) early.delete(stamp.stampId);
    for (const file of result.early)
      early.set(file.stamp.stampId, [...(early.get(file.stamp.stampId) ?? []), JSON.parse(JSON.stringify(file))]);
    for (const collection of result.registered)
      collections.set(collectionKey(collection.account, collection.setCid), collection);
  };
  return {
    memory,
    /** @returns the events of the facts, each slice projected by itself */
    run(slices: readonly (readonly Fact[])[]): NewEvent[] {
      return slices.flatMap((facts) => {
        const result = project(facts, memory, write);
        remember(result);
        return result.events;
      });
    },
  };
}

const namesOf = (events: readonly NewEvent[]): string[] => events.map(({ event }) => event.name);
const idsOf = (events: readonly NewEvent[]): string[] => events.map(({ event }) => event.id).sort();

/** All orders of the facts that keep the order of `chain`, which come from one partition. */
function ordersOf(facts: readonly Fact[], chain: readonly Fact[] = []): Fact[][] {
  if (facts.length === 0) return [[]];
  return facts.flatMap((fact) => {
    const place = chain.indexOf(fact);
    if (chain.slice(0, Math.max(place, 0)).some((before) => facts.includes(before))) return [];
    return ordersOf(
      facts.filter((other) => other !== fact),
      chain,
    ).map((rest) => [fact, ...rest]);
  });
}

/** Every cut of a list into two projections, and one projection for each fact. */
const cutsOf = (order: readonly Fact[]): Fact[][][] => [
  ...order.map((_, at) => [order.slice(0, at), order.slice(at)]),
  order.map((fact) => [fact]),
];

/** Whatever the order of arrival and the cuts, the same events, and `before` pairs in order. */
function expectAlways(
  facts: readonly Fact[],
  chain: readonly Fact[],
  expected: readonly string[],
  before: readonly (readonly [string, string])[],
): void {
  const orders = ordersOf(facts, chain);
  let ids: string[] | undefined;
  for (const order of orders)
    for (const cut of cutsOf(order)) {
      const { memory, run } = createMemory();
      const events = run(cut);
      const names = namesOf(events);
      const arrival = order.map(({ kind }) => kind).join(' ');
      expect([arrival, names.toSorted()]).toEqual([arrival, expected.toSorted()]);
      for (const [first, second] of before)
        expect([arrival, names.indexOf(first) < names.lastIndexOf(second)]).toEqual([arrival, true]);
      ids ??= idsOf(events);
      expect(idsOf(events)).toEqual(ids);
      expect(new Set(ids).size).toBe(ids.length);
      // Nothing of it is kept once all has come.
      expect(memory.earlyFiles.size).toBe(0);
      for (const batch of memory.batches.values())
        expect(batch).toMatchObject({ parts: [], announced: [], confirmed: {}, finals: [] });
    }
}

describe('the events of a stamp', () => {
  it('are the same and in order, in whatever order its messages come (I5)', () => {
    const facts = [submitted(), confirmed(), finalized(), stored()];
    expectAlways(
      facts,
      [],
      ['stamp.submitted', 'stamp.confirmed', 'file.stored', 'stamp.finalized'],
      [
        ['stamp.submitted', 'stamp.confirmed'],
        ['stamp.confirmed', 'file.stored'],
        ['stamp.confirmed', 'stamp.finalized'],
      ],
    );
  });

  it('are the same for a file that failed', () => {
    expectAlways(
      [submitted(), confirmed(), finalized(), unstorable()],
      [],
      ['stamp.submitted', 'stamp.confirmed', 'file.failed', 'stamp.finalized'],
      [['stamp.confirmed', 'file.failed']],
    );
  });

  it('say both receipts of a reorg in their order, and finality of the block that stays (I4)', () => {
    const chain = [confirmed('A'), reverted('A'), confirmed('B')];
    expectAlways(
      [submitted(), ...chain, finalized('B'), stored()],
      chain,
      ['stamp.submitted', 'stamp.confirmed', 'stamp.reverted', 'stamp.confirmed', 'stamp.finalized', 'file.stored'],
      [
        ['stamp.submitted', 'stamp.confirmed'],
        ['stamp.confirmed', 'stamp.reverted'],
        ['stamp.reverted', 'stamp.confirmed'],
        ['stamp.reverted', 'stamp.finalized'],
        ['stamp.confirmed', 'file.stored'],
      ],
    );
  });

  it('are complete and in order when a reorg puts the stamp into another batch (I4)', () => {
    const other = newId();
    const chain = [confirmed('A'), reverted('A'), confirmed('B', other)];
    expectAlways(
      [submittedAgain(batchId, 1, 0), ...chain, submittedAgain(other, 2, 1), finalized('B', other)],
      chain,
      ['stamp.submitted', 'stamp.confirmed', 'stamp.reverted', 'stamp.submitted', 'stamp.confirmed', 'stamp.finalized'],
      [
        ['stamp.reverted', 'stamp.submitted'],
        ['stamp.reverted', 'stamp.finalized'],
      ],
    );
  });

  it('are complete when an earlier release put the stamp into another batch', () => {
    const other = newId();
    const chain = [confirmed('A'), reverted('A'), confirmed('B', other)];
    expectAlways(
      [submitted(), ...chain, submitted(other), finalized('B', other)],
      chain,
      ['stamp.submitted', 'stamp.confirmed', 'stamp.reverted', 'stamp.submitted', 'stamp.confirmed', 'stamp.finalized'],
      [['stamp.reverted', 'stamp.finalized']],
    );
  });

  it('have the second submission without its reversion when that does not come, and once when it comes after all', () => {
    const { memory, run } = createMemory();
    const other = newId();
    expect(namesOf(run([[confirmed('A')], [submittedAgain(other, 2, 1)]]))).toEqual([
      'stamp.submitted',
      'stamp.confirmed',
    ]);
    const missing: Fact = { ...envelope(), kind: 'reversion-missing', account, stampId: stamp.stampId };
    expect(namesOf(run([[missing], [missing]]))).toEqual(['stamp.submitted']);
    expect(namesOf(run([[reverted('A')], [confirmed('B', other)]]))).toEqual(['stamp.reverted', 'stamp.confirmed']);
    expect(memory.notes.get(stamp.stampId)?.held).toEqual([]);
  });

  it('are a second confirmation with an id of its own when a block comes back after a reorg', () => {
    const events = createMemory().run([[confirmed('A'), reverted('A'), confirmed('A')]]);
    expect(new Set(idsOf(events)).size).toBe(events.length);
  });

  it('are reported again when the chain turned below its finality', () => {
    const { run } = createMemory();
    run([[submitted(), confirmed('A'), finalized('A')]]);
    expect(namesOf(run([[reverted('A'), confirmed('B'), finalized('B')]]))).toEqual([
      'stamp.reverted',
      'stamp.confirmed',
      'stamp.finalized',
    ]);
  });

  it('end with its failure, even if its submission comes later', () => {
    expect(namesOf(createMemory().run([[submitted()], [failed()]]))).toEqual(['stamp.submitted', 'stamp.failed']);
    expect(namesOf(createMemory().run([[failed()], [submitted()]]))).toEqual(['stamp.failed']);
    expect(namesOf(createMemory().run([[failed(), submitted()]]))).toEqual(['stamp.failed']);
  });

  it('are announced once when a large batch is announced in parts, whatever comes between', () => {
    const other = stampOf('two');
    const parts = [submitted(batchId, [stamp], 1, 2), submitted(batchId, [other], 2, 2)];
    expectAlways(
      [...parts, confirmed(), confirmed('A', batchId, other), finalized('A', batchId, [stamp, other])],
      [],
      ['stamp.submitted', 'stamp.confirmed', 'stamp.finalized'].flatMap((name) => [name, name]),
      [['stamp.submitted', 'stamp.confirmed']],
    );
  });

  it('do not wait for a confirmation when content comes later', () => {
    expect(namesOf(createMemory().run([[stored(false)]]))).toEqual(['file.stored']);
  });

  it('of one batch do not wait for another stamp of it', () => {
    const other = stampOf('two');
    const { run } = createMemory();
    const both = [stamp, other];
    expect(namesOf(run([[finalized('A', batchId, both)], [confirmed('A')]]))).toEqual([
      'stamp.submitted',
      'stamp.confirmed',
      'stamp.finalized',
    ]);
    expect(namesOf(run([[submitted(batchId, both)], [confirmed('A', batchId, other)]]))).toEqual([
      'stamp.submitted',
      'stamp.confirmed',
      'stamp.finalized',
    ]);
  });

  it('of a batch that an earlier release submitted are those that are known, and its finality waits for none', () => {
    const { memory, run } = createMemory();
    const other = stampOf('two');
    const former: Fact = { ...envelope(), kind: 'former-batch', batchId };
    expect(namesOf(run([[former], [confirmed()], [finalized('A', batchId, [stamp, other])]]))).toEqual([
      'stamp.submitted',
      'stamp.confirmed',
      'stamp.finalized',
    ]);
    expect(memory.batches.get(batchId)).toMatchObject({ confirmed: {}, finals: [] });
  });
});

describe('the event of a collection', () => {
  const collection: Collection = {
    account,
    setCid,
    name: 'Forest',
    description: null,
    isPinned: false,
    isPublic: true,
  };
  const registered: Fact = { ...envelope(), kind: 'collection-registered', collection };
  const created: Fact = {
    ...envelope(),
    kind: 'collection-created',
    ...{ account, setCid, chainId: 1, transactionHash: setCid, blockNumber: 7, blockTime: 1_795_000_000 },
  };
  const placed: Fact = { ...created, place: { blockHash: setCid, logIndex: null } };

  it('has what was registered, in this projection or one before', () => {
    for (const cut of [[[registered, created]], [[registered], [created]]]) {
      const [event] = createMemory().run(cut);
      expect(event?.event).toMatchObject({ name: 'collection.created', data: { collection_name: 'Forest' } });
    }
  });

  it('is in the version without its place alone when that is not known, and else in both, each with an id of its own', () => {
    const versionsOf = (fact: Fact) =>
      createMemory()
        .run([[registered, fact]])
        .map(({ event }) => event);
    expect(versionsOf(created).map(({ version }) => version)).toEqual([1]);
    const [former, current, ...rest] = versionsOf(placed);
    expect(rest).toEqual([]);
    expect(former).toMatchObject({ version: 1, id: versionsOf(created)[0]?.id });
    expect(former?.data).not.toHaveProperty('block_hash');
    expect(current).toMatchObject({ version: 2, data: { ...former?.data, block_hash: setCid, log_index: null } });
    expect(current?.id).not.toBe(former?.id);
  });

  it('is not made of an unregistered one', () => {
    const { memory } = createMemory();
    expect(project([created], memory, write)).toMatchObject({ events: [], unregistered: [{ account, setCid }] });
  });
});
