import { effectOfLog, eventTopics } from '@indelible/commitment-contract';
import type { Hex } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { collectLogs, type LogHeader } from './collect-logs.ts';

const contract: Hex = `0x${'cc'.repeat(20)}`;
const stranger: Hex = `0x${'dd'.repeat(20)}`;
const word = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`;
const filter = (bits: bigint): Hex => `0x${bits.toString(16).padStart(512, '0')}`;
const transactions = [word(50), word(51), word(52)];
const header: LogHeader = { number: 7, hash: word(7), logsBloom: filter(0b11n), transactions };
const log = (index: number, address: Hex = contract) => ({
  address,
  blockHash: header.hash,
  transactionHash: word(index < 3 ? 50 : 52),
  topics: [eventTopics.AddObject, word(1), word(index + 100)],
  data: word(1_700_000_000),
  logIndex: `0x${index.toString(16)}`,
});
const receipt = (place: number, logs: readonly object[], bits: bigint) => ({
  blockHash: header.hash,
  transactionHash: word(50 + place),
  transactionIndex: `0x${place.toString(16)}`,
  cumulativeGasUsed: `0x${((place + 1) * 100).toString(16)}`,
  status: '0x1',
  logs,
  logsBloom: filter(bits),
});
const receipts = [
  receipt(0, [log(0), log(1, stranger), log(2)], 1n),
  receipt(1, [], 0n),
  receipt(2, [log(3, stranger), log(4)], 2n),
];
/** As the receipts, but for the first log. */
const changed = (change: object) => [
  receipt(0, [{ ...log(0), ...change }, log(1, stranger), log(2)], 1n),
  ...receipts.slice(1),
];
const collect = (from: readonly unknown[], head: LogHeader = header) => {
  const collector = collectLogs(head, contract, effectOfLog);
  for (const one of from) collector.take([one]);
  return collector.finish();
};
const read = (from: readonly unknown[], head: LogHeader = header) =>
  collect(from, head).logs.map(({ logIndex, transactionHash }) => [logIndex, transactionHash]);

describe('what the contract logged in a block', () => {
  it('is read of all receipts, with its places among the logs of others', () => {
    expect(read(receipts)).toEqual([
      [0, word(50)],
      [2, word(50)],
      [4, word(52)],
    ]);
  });
  it('is the same whatever the letter case of a node, and without filters where the chain has none', () => {
    const shouting = receipts.map((each) => ({
      ...each,
      logsBloom: null,
      blockHash: each.blockHash.replace('0x', '0X').toUpperCase(),
      logs: each.logs.map((one) => ({ ...one, address: (one as { address: Hex }).address.toUpperCase() })),
    }));
    expect(read(shouting, { ...header, logsBloom: filter((1n << 2048n) - 1n) })).toHaveLength(3);
  });
  it('is the same where a chain gives no status: one that is missing is none of a failure (I11)', () => {
    expect(read(receipts.map(({ status: _, ...each }: Record<string, unknown>) => each))).toHaveLength(3);
  });
  it.each([
    ['there are none', []],
    ['one is not there', [null]],
    ['the last is missing, by the filter', receipts.slice(0, 2)],
    ['one in the middle is missing', [receipts[0], receipts[2]]],
    ['they are of another block', receipts.map((each) => ({ ...each, blockHash: word(8) }))],
    ['the logs of one are left out', receipts.map((each, i) => (i === 2 ? { ...each, logs: [] } : each))],
    ['a log in between is left out', [receipt(0, [log(0), log(2)], 1n), ...receipts.slice(1)]],
    ['a log at the end of a transaction is left out', [receipt(0, [log(0), log(1)], 1n), ...receipts.slice(1)]],
    ['a receipt has no hash', receipts.map((each) => ({ ...each, transactionHash: '0x' }))],
    ['there is one too many', [...receipts, receipt(3, [], 0n)]],
    [
      'one is of a transaction that the block does not have',
      [receipts[0], { ...receipts[1], transactionHash: word(99) }, receipts[2]],
    ],
    ['a log is of another block', changed({ blockHash: word(8) })],
    ['a log is of another transaction', changed({ transactionHash: word(51) })],
    ['a log was removed', changed({ removed: true })],
    ['a log has no address', changed({ address: '0xcc' })],
    ['the transaction of a log has failed', [{ ...receipts[0], status: '0x0' }, ...receipts.slice(1)]],
    ['a log is none', [receipt(0, [{ logIndex: '0x0' }, log(1), log(2)], 1n), 1]],
  ])('is not taken when %s', (_, given) => {
    expect(() => read(given)).toThrow(expect.objectContaining({ name: 'RpcUnavailableError', retryable: true }));
  });
  it('is not taken when the last receipt is missing, though the others fill the filter, by the transactions', () => {
    const full = receipts.map((each) => (each.logs.length === 0 ? each : { ...each, logsBloom: header.logsBloom }));
    expect(() => read(full.slice(0, 2))).toThrow('incomplete');
    expect(read(full)).toHaveLength(3);
  });
  it('does not depend on gas: where refunds count for receipts alone (EIP-7778), theirs is less than the block’s', () => {
    expect(read(receipts.map((each) => ({ ...each, cumulativeGasUsed: '0x1' })))).toHaveLength(3);
  });

  const forged = (index: number, change: object) => ({ ...log(index), ...change });
  const onlyForged = (change: object) => [
    receipt(0, [log(0), forged(1, change), log(2)], 3n),
    receipt(1, [], 0n),
    receipt(2, [], 0n),
  ];
  it.each([
    ['a user that is no address', { topics: [eventTopics.AddObject, `0x${'f'.repeat(64)}`, word(1)] }],
    ['a topic too many', { topics: [eventTopics.AddObject, word(1), word(2), word(3)] }],
    ['a topic too few', { topics: [eventTopics.AddObject, word(1)] }],
    ['other data', { data: '0x' }],
    ['a time beyond all numbers', { data: `0x${'f'.repeat(64)}` }],
  ])('leaves out and counts a log with %s: anybody may cause it, and the others keep their places', (_, change) => {
    const { logs, undecodable } = collect(onlyForged(change));
    expect(logs.map(({ logIndex }) => logIndex)).toEqual([0, 2]);
    expect(undecodable).toBe(1);
  });
  it.each([
    ['topics', { topics: [eventTopics.AddObject, word(1), '0x12'] }],
    ['the names of events', { topics: [eventTopics.AddObject.slice(0, 20), word(1), word(2)] }],
    ['data', { data: '0x1' }],
  ])('is not taken when %s are cut off: that is no fact of the chain', (_, change) => {
    expect(() => collect(onlyForged(change))).toThrow(expect.objectContaining({ name: 'RpcUnavailableError' }));
  });

  describe('when one receipt cannot be read', () => {
    const indexed = (index: number, place: number) => {
      const { topics, data } = log(index);
      return { topics, data, transactionHash: word(50 + place), logIndex: index };
    };
    const readWith = (logs: readonly ReturnType<typeof indexed>[], last = receipts[2] as object) => {
      const collector = collectLogs(header, contract, effectOfLog);
      collector.takeIndexed(word(50), logs);
      collector.take([receipts[1], last]);
      return collector.finish().logs.map(({ logIndex }) => logIndex);
    };
    it('comes from the index of the node, with the places of all others', () => {
      expect(readWith([indexed(0, 0), indexed(2, 0), indexed(4, 2)])).toEqual([0, 2, 4]);
    });
    it.each([
      ['has not the others yet', [indexed(0, 0), indexed(2, 0)]],
      ['has others', [indexed(0, 0), indexed(3, 2), indexed(4, 2)]],
    ])('is not taken when the index %s', (_, logs) => {
      expect(() => readWith(logs)).toThrow('do not agree');
    });
    it('is not taken when it is another transaction than the block has there', () => {
      expect(() => collectLogs(header, contract, effectOfLog).takeIndexed(word(51), [])).toThrow('other transactions');
    });
    it('is not taken when a transaction after it is missing', () => {
      const collector = collectLogs(header, contract, effectOfLog);
      collector.takeIndexed(word(50), []);
      collector.take([receipts[1]]);
      expect(() => collector.finish()).toThrow('incomplete');
    });
    it('is not taken when logs of the others are out of order', () => {
      expect(() => readWith([indexed(2, 0), indexed(1, 0), indexed(4, 2)])).toThrow('do not agree');
    });
  });
});
