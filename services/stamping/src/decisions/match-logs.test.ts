import { describe, expect, it } from '@jest/globals';
import { type CommittedObject, matchLogs } from './match-logs.ts';

const object = (changes: Partial<CommittedObject> = {}): CommittedObject => ({
  transactionHash: '0x01',
  account: '0x02',
  setCid: '0x03',
  objectCid: '0x04',
  ...changes,
});

const log = (logIndex: number, changes?: Partial<CommittedObject>) => ({ ...object(changes), logIndex });
const item = (id: string, changes?: Partial<CommittedObject>) => ({ ...object(changes), id });
const pairs = (logs: ReturnType<typeof log>[], items: ReturnType<typeof item>[]) =>
  matchLogs(logs, items).map((pair) => [pair.log.logIndex, pair.item.id]);

describe('matching logs with stamps (I1)', () => {
  it('equal ones pair in order, one to one', () => {
    expect(pairs([log(4), log(7), log(9)], [item('a'), item('b')])).toEqual([
      [4, 'a'],
      [7, 'b'],
    ]);
    expect(pairs([log(4)], [item('a'), item('b')])).toEqual([[4, 'a']]);
  });

  it.each<[string, Partial<CommittedObject>]>([
    ['transaction', { transactionHash: '0x11' }],
    ['account', { account: '0x12' }],
    ['set', { setCid: '0x13' }],
    ['object', { objectCid: '0x14' }],
  ])('a log of another %s is no stamp’s', (_, changes) => {
    expect(pairs([log(0, changes)], [item('a')])).toEqual([]);
  });

  it('logs find their stamps whatever their order', () => {
    const objects = ['0x21', '0x22', '0x23'] as const;
    expect(
      pairs(
        objects.map((objectCid, at) => log(at, { objectCid })),
        objects.toReversed().map((objectCid) => item(objectCid, { objectCid })),
      ),
    ).toEqual([
      [0, '0x21'],
      [1, '0x22'],
      [2, '0x23'],
    ]);
  });
});
