import { cidOfContent, type Hex } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createLog } from '../../tests/support/log-in-memory.ts';
import type { BatchState } from './batch-state.ts';
import { createEventWriter } from './event-of.ts';
import type { Fact, Stamp } from './facts.ts';
import { type Memory, project } from './project.ts';
import type { StampNote } from './stamp-order.ts';

const write = createEventWriter('0x5fbdb2315678afecb367f032d93f642f64180aa3');
const account: Hex = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const cid = cidOfContent('x');
const idOf = (text: string): string => `00000000-0000-7000-8000-${cidOfContent(text).slice(2, 14)}`;
const stampId = idOf('stamp');
const stamp: Stamp = {
  ...{ stampId, requestId: null, account, setCid: cid, objectCid: cid },
  ...{ collectionName: null, clientRef: null },
};

/**
 * Possible next steps of a stamp. `another`: its transaction lost its nonce, or was refused, and it moves to another
 * one.
 */
type Step = 'confirm' | 'revert' | 'finalize' | 'another' | 'fail';
const possible = {
  submitted: ['confirm', 'another', 'fail'],
  confirmed: ['revert', 'finalize'],
  final: ['revert'],
  ended: [],
} as const satisfies Record<string, readonly Step[]>;

/** A message, its queue (partition), and the name of its event. */
type Told = { readonly queue: string; readonly fact: Fact; readonly name: string };

/** A possible history of stamping, by choices among the possible steps. */
function historyOf(choices: readonly number[]): readonly Told[] {
  const told: Told[] = [];
  let at: keyof typeof possible = 'submitted';
  let attempt = 0;
  let reversions = 0;
  let block = 0;
  const tell = (name: string, queue: string, fact: object): void => {
    const envelope = { messageId: idOf(`message ${told.length}`), time: `2026-11-21T04:10:08.${100 + told.length}Z` };
    told.push({ queue, fact: { ...envelope, batchId: idOf(`batch ${attempt}`), ...fact } as Fact, name });
  };
  const submit = (): void => {
    attempt++;
    const stamps = [{ ...stamp, place: { attempt, reversions } }];
    tell('stamp.submitted', `batch ${attempt % 3}`, { kind: 'submitted', part: 1, parts: 1, stamps });
  };
  const receipt = () => ({
    ...{ transactionHash: cid, logIndex: 0, blockNumber: block, blockTime: 1_795_000_000 },
    ...{ blockHash: cidOfContent(`block ${block}`), chainId: 1, account, setCid: cid, objectCid: cid },
  });
  submit();
  for (const choice of choices) {
    const steps: readonly Step[] = possible[at];
    const step = steps[choice % steps.length];
    if (step === 'confirm') {
      // Blocks come back after a reorg, too.
      block += choice % 2;
      tell('stamp.confirmed', 'stamp', { kind: 'confirmed', stamp, receipt: receipt() });
      at = 'confirmed';
    } else if (step === 'revert') {
      tell('stamp.reverted', 'stamp', { kind: 'reverted', stamp, receipt: receipt() });
      reversions++;
      at = 'submitted';
    } else if (step === 'finalize') {
      const { blockHash } = receipt();
      tell('stamp.finalized', `batch ${attempt % 3}`, { kind: 'finalized', blockHash, stampIds: [stampId] });
      at = 'final';
    } else if (step === 'another') submit();
    else if (step === 'fail') {
      tell('stamp.failed', 'stamp', { kind: 'failed', stamp, refusal: { code: 'x', message: 'y' } });
      at = 'ended';
    }
  }
  return told;
}

/** An arrival order of the history: each queue in order, by picks among their heads. */
function arrivalOf(history: readonly Told[], picks: readonly number[]): readonly Told[] {
  const queues = [...Map.groupBy(history, ({ queue }) => queue).values()];
  return history.map((_, n) => {
    const open = queues.filter((queue) => queue.length > 0);
    const queue = open[(picks[n % Math.max(picks.length, 1)] ?? 0) % open.length] as Told[];
    return queue.shift() as Told;
  });
}

/** Projects the messages in parts of this size, with the state between them as JSON. */
function run(arrival: readonly Told[], size: number) {
  const batches = new Map<string, BatchState>();
  const notes = new Map<string, StampNote>();
  const [confirmed, failed] = [new Set<string>(), new Set<string>()];
  const log = createLog();
  const memory: Memory = {
    ...{ batches, ...log.memory, notes, confirmed, failed, earlyFiles: new Map(), collections: new Map() },
  };
  const events: { readonly id: string; readonly name: string; readonly time: string }[] = [];
  for (let at = 0; at < arrival.length; at += size) {
    const result = project(
      arrival.slice(at, at + size).map(({ fact }) => fact),
      memory,
      write,
    );
    log.append(result.events);
    events.push(...result.events.map(({ event }) => event));
    for (const [id, state] of result.batches) batches.set(id, JSON.parse(JSON.stringify(state)));
    for (const id of result.confirmed) confirmed.add(id);
    for (const id of result.failed) failed.add(id);
    for (const [id, note] of result.notes)
      if (note === undefined) notes.delete(id);
      else notes.set(id, JSON.parse(JSON.stringify(note)));
  }
  return { events, notes };
}

/** Which event may follow which, for a subscriber. */
const following: Readonly<Record<string, readonly string[]>> = {
  '': ['stamp.submitted', 'stamp.failed'],
  'stamp.submitted': ['stamp.submitted', 'stamp.confirmed', 'stamp.failed'],
  'stamp.confirmed': ['stamp.reverted', 'stamp.finalized'],
  'stamp.finalized': ['stamp.reverted'],
  'stamp.reverted': ['stamp.submitted', 'stamp.confirmed', 'stamp.failed'],
  'stamp.failed': [],
};
const counted = (names: readonly string[], name: string): number => names.filter((one) => one === name).length;

describe('the events of a stamp', () => {
  it('are a valid history, whatever happens to it and in whatever order its messages come (I4, I5)', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(59), { maxLength: 12 }),
        fc.array(fc.nat(59), { maxLength: 16 }),
        fc.integer({ min: 1, max: 6 }),
        (choices, picks, size) => {
          const history = historyOf(choices);
          const { events, notes } = run(arrivalOf(history, picks), size);
          const names = events.map(({ name }) => name);
          names.reduce((before, name) => {
            expect({ names, before, next: following[before] }).toMatchObject({
              next: expect.arrayContaining([name]),
            });
            return name;
          }, '');
          expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
          const happened = history.map(({ name }) => name);
          for (const name of ['stamp.confirmed', 'stamp.reverted', 'stamp.failed'])
            expect([name, counted(names, name)]).toEqual([name, counted(happened, name)]);
          const submissions = events.filter(({ name }) => name === 'stamp.submitted').map(({ time }) => time);
          expect(submissions).toEqual(submissions.toSorted());
          // Nothing waits once all messages have come.
          expect(notes.get(stampId)?.held ?? []).toEqual([]);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('are all of them in the order in which they happened when its messages come in that order (I4)', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(59), { maxLength: 12 }), fc.integer({ min: 1, max: 6 }), (choices, size) => {
        const history = historyOf(choices);
        expect(run(history, size).events.map(({ name }) => name)).toEqual(history.map(({ name }) => name));
      }),
      { numRuns: 1_000 },
    );
  });
});
