import { eventTopics } from '@indelible/commitment-contract';
import type { Hex } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { collectLogs } from './contract-logs.ts';

const contract: Hex = `0x${'cc'.repeat(20)}`;
const stranger: Hex = `0x${'dd'.repeat(20)}`;
const word = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`;
const filter = (bits: bigint): Hex => `0x${bits.toString(16).padStart(512, '0')}`;
const header = { number: 7, hash: word(7), logsBloom: filter(0b11n), gasUsed: 300n };
const log = (index: number, address: Hex = contract) => ({
  address,
  topics: [eventTopics.AddObject, word(1), word(index + 100)],
  data: word(1_700_000_000),
  logIndex: `0x${index.toString(16)}`,
});
const receipt = (place: number, logs: readonly object[], bits: bigint) => ({
  blockHash: header.hash,
  transactionHash: word(50 + place),
  transactionIndex: `0x${place.toString(16)}`,
  cumulativeGasUsed: `0x${((place + 1) * 100).toString(16)}`,
  logs,
  logsBloom: filter(bits),
});
const receipts = [
  receipt(0, [log(0), log(1, stranger), log(2)], 1n),
  receipt(1, [], 0n),
  receipt(2, [log(3, stranger), log(4)], 2n),
];
const collect = (from: readonly unknown[], head: Parameters<typeof collectLogs>[0] = header) => {
  const collector = collectLogs(head, contract);
  for (const one of from) collector.take([one]);
  return collector.finish();
};
const read = (from: readonly unknown[], head: Parameters<typeof collectLogs>[0] = header) =>
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
    ['a log is none', [receipt(0, [{ logIndex: '0x0' }, log(1), log(2)], 1n), 1]],
  ])('is not taken when %s', (_, given) => {
    expect(() => read(given)).toThrow(expect.objectContaining({ name: 'RpcUnavailableError', retryable: true }));
  });
  it('is not taken when the last receipt is missing and the others have filled the filter, by the gas', () => {
    const full = receipts.map((each) => (each.logs.length === 0 ? each : { ...each, logsBloom: header.logsBloom }));
    expect(() => read(full.slice(0, 2))).toThrow('gas');
    expect(read(full)).toHaveLength(3);
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
      const collector = collectLogs(header, contract);
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
    it('is not taken when logs of the others are out of order', () => {
      expect(() => readWith([indexed(2, 0), indexed(1, 0), indexed(4, 2)])).toThrow('do not agree');
    });
  });
});
