import { describe, expect, it } from '@jest/globals';
import { faultsOf, idsThatDiffer } from './support/check-events.ts';
import { factOf, type SeenEvent } from './support/public-event.ts';
import type { Happened } from './support/what-happened.ts';

const account = `0x${'aa'.repeat(20)}`;
const set = `0x${'11'.repeat(32)}`;
const key = `${account}/${set}`;

/** Events of one stamp, by name and block, in their sequence. */
const eventsOf = (...told: readonly string[]): SeenEvent[] =>
  told.map((text, at) => {
    const [name = '', of = ''] = text.split(' ');
    const data = {
      user_address: account,
      set_cid: set,
      ...(/confirmed|reverted|finalized/.test(name) ? { commitment_receipt: { block_hash: of } } : {}),
      ...(name === 'file.stored' ? { file_object: { file_path: of } } : {}),
    };
    return { id: `id ${at}`, name, subject: 'stamp', key, sequence: at + 1, way: 2, data };
  });
const happened = (events: readonly SeenEvent[], more: Partial<Happened> = {}): Happened => ({
  accounts: new Set([account]),
  facts: events.map(factOf),
  uploadedLater: new Set(),
  isForged: () => false,
  open: 0,
  ...more,
});
const usual = ['stamp.submitted', 'stamp.confirmed b1', 'file.stored f', 'stamp.finalized b1'];
const changed = (events: readonly SeenEvent[], at: number, change: Partial<SeenEvent>): SeenEvent[] =>
  events.map((event, i) => (i === at ? { ...event, ...change } : event));

describe('the check of events finds nothing wrong with', () => {
  it.each([
    ['the usual ones', usual],
    [
      'a reorg',
      ['stamp.submitted', 'stamp.confirmed b1', 'stamp.reverted b1', 'stamp.confirmed b2', 'stamp.finalized b2'],
    ],
    [
      'a block that comes back, and a second submission before the reversion',
      [
        ...['stamp.submitted', 'stamp.confirmed b1', 'stamp.submitted', 'stamp.reverted b1'],
        ...['stamp.confirmed b1', 'stamp.finalized b1', 'file.stored f'],
      ],
    ],
    ['a failure', ['stamp.submitted', 'stamp.failed']],
  ])('%s', (_, told) => {
    const events = eventsOf(...told);
    expect(faultsOf(events, happened(events))).toEqual([]);
  });

  it('what comes again under its id, and a file that was sent later', () => {
    const events = eventsOf('file.stored later', ...usual);
    const facts = happened(events, { uploadedLater: new Set(['later']) });
    expect(faultsOf([...events, ...events.slice(2)], facts)).toEqual([]);
    expect(idsThatDiffer(events, events.toReversed())).toEqual([]);
  });
});

describe('the check of events finds', () => {
  const events = eventsOf(...usual);
  const facts = happened(events);

  it.each<[string, readonly SeenEvent[], RegExp]>([
    ['one that is lost', events.slice(0, 3), /finalized stamp b1 is missing/],
    ['one that is lost in between', [...events.slice(0, 2), events[3]!], /4 in the place of 3/],
    [
      'one with a second id',
      [...events, { ...events[3]!, id: 'other', sequence: 5 }],
      /finalized stamp b1 is too much/,
    ],
    ['an id that has become another event', [...events, { ...events[3]!, sequence: 9 }], /came again as another/],
    ['one of another account', changed(events, 1, { key: `0x${'bb'.repeat(20)}/${set}` }), /came for another account/],
    [
      'one whose data is of another account',
      changed(events, 1, { data: { ...events[1]!.data, user_address: 'else' } }),
      /came for another account/,
    ],
    ['one in another partition', changed(events, 3, { way: 1 }), /in partitions 2, 1/],
  ])('%s', (_, seen, fault) => {
    expect(faultsOf(seen, facts).join('\n')).toMatch(fault);
  });

  it.each([
    [['stamp.confirmed b1', 'stamp.submitted']],
    [['stamp.submitted', 'stamp.confirmed b1', 'stamp.confirmed b2']],
    [['stamp.submitted', 'stamp.confirmed b1', 'stamp.reverted b2']],
    [['stamp.submitted', 'stamp.confirmed b1', 'stamp.finalized b2']],
    [['stamp.submitted', 'stamp.confirmed b1', 'stamp.finalized b1', 'stamp.reverted b1']],
    [['stamp.submitted', 'stamp.confirmed b1', 'stamp.finalized b1', 'stamp.submitted']],
    [['stamp.submitted', 'stamp.confirmed b1', 'stamp.failed']],
    [['file.stored f', 'stamp.submitted', 'stamp.confirmed b1']],
  ])('an order that cannot be: %j', (told) => {
    const seen = eventsOf(...told);
    expect(faultsOf(seen, happened(seen)).join('\n')).toMatch(/is out of order/);
  });

  it('which ids one subscriber has and another lacks', () => {
    expect(idsThatDiffer(events.slice(1), events.slice(0, 3))).toEqual(['id 3', 'id 0']);
  });
});
