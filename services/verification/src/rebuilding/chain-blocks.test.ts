import { eventTopics } from '@indelible/commitment-contract';
import { type BlockHeader, type Rpc, type RpcCall, RpcUnavailableError } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { createChainBlocks } from './chain-blocks.ts';

const contract: Hex = `0x${'cc'.repeat(20)}`;
const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`;
const transactions = [word(50), word(51), word(52)];
/** Of a receipt, by which a block's own filter of other bits is not made up. */
const filled: Hex = `0x${'0'.repeat(511)}1`;
const header: BlockHeader = {
  number: 7,
  hash: word(7),
  parentHash: word(6),
  timestamp: 1_700_000_000,
  logsBloom: `0x${'f'.repeat(512)}`,
  baseFeePerGas: 0n,
  gasLimit: 1n,
  gasUsed: 1n,
  transactions,
};
const log = (place: number, index: number, user: Hex = word(1)) => ({
  address: contract,
  topics: [eventTopics.AddObject, user, word(100 + index)],
  data: word(header.timestamp),
  blockNumber: '0x7',
  blockHash: header.hash,
  transactionHash: transactions[place],
  transactionIndex: `0x${place}`,
  logIndex: `0x${index}`,
});
const receipt = (place: number, logs: readonly object[]) => ({
  transactionHash: transactions[place],
  transactionIndex: `0x${place}`,
  blockHash: header.hash,
  blockNumber: '0x7',
  from: contract,
  to: contract,
  contractAddress: null,
  status: '0x1',
  gasUsed: '0x1',
  cumulativeGasUsed: place === 2 ? '0x1' : '0x0',
  effectiveGasPrice: '0x1',
  logs,
});
const receipts = [receipt(0, [log(0, 0)]), receipt(1, [log(1, 1, `0x${'f'.repeat(64)}`)]), receipt(2, [log(2, 2)])];

/** A node whose response to all receipts at once, or to one receipt, exceeds the limit. */
function nodeOf(given: readonly object[], tooLong: 'nothing' | 'all' | Hex = 'nothing'): Rpc {
  const fail = () => new RpcUnavailableError('longer than 10 bytes', { fault: 'too-long' });
  const one = ({ params: [hash] }: RpcCall) => given[transactions.indexOf(hash as Hex)];
  return {
    call: async (method: string) => {
      if (method === 'eth_blockNumber') return '0x20';
      if (method === 'eth_getLogs') return [log(0, 0), log(1, 1, `0x${'f'.repeat(64)}`), log(2, 2)];
      if (method === 'eth_getBlockByHash')
        return {
          number: '0x7',
          hash: header.hash,
          parentHash: header.parentHash,
          timestamp: '0x1',
          logsBloom: header.logsBloom,
          gasLimit: '0x1',
          gasUsed: '0x1',
          transactions,
        };
      if (tooLong !== 'nothing') throw fail();
      return given;
    },
    batch: async (calls: readonly RpcCall[]) => {
      if (calls.some(({ params: [hash] }) => hash === tooLong)) throw fail();
      return calls.map((call) => ({ ok: true, result: one(call) }));
    },
  } as unknown as Rpc;
}

/** A filter that allows for all that the contract logs, and for less than everything. */
const logsBloom: Hex = `0x7${'f'.repeat(511)}`;
const read = async (rpc: Rpc, head: BlockHeader = header) => {
  const { signal } = new AbortController();
  const blocks = createChainBlocks({ rpc, chainId: 1, contract, timeoutMs: 1_000, signal });
  const [block] = await blocks.withCommitments([head]);
  return block?.logs.map(({ logIndex }) => logIndex);
};

describe('createChainBlocks', () => {
  it.each(['nothing', 'all', transactions[1] as Hex] as const)(
    'reads all commitments except undecodable ones, when %s is too long for one response (I8, I11)',
    async (tooLong) => {
      expect(await read(nodeOf(receipts, tooLong))).toEqual([0, 2]);
    },
  );

  it.each<[string, readonly object[], Hex | 'nothing']>([
    ['a receipt is missing', receipts.slice(0, 2), 'nothing'],
    ['a log is missing', [receipt(0, []), ...receipts.slice(1)], 'nothing'],
    ['the last log is missing', [...receipts.slice(0, 2), { ...receipt(2, []), logsBloom: filled }], 'nothing'],
    ['the receipts do not fill the filter', receipts.map((each) => ({ ...each, logsBloom: filled })), 'nothing'],
    [
      'a receipt is of another block',
      [{ ...receipt(0, [log(0, 0)]), blockHash: word(8) }, ...receipts.slice(1)],
      'nothing',
    ],
    [
      'a log is of another transaction',
      [receipt(0, [{ ...log(0, 0), transactionHash: word(51) }]), ...receipts.slice(1)],
      'nothing',
    ],
    ['a log was removed', [receipt(0, [{ ...log(0, 0), removed: true }]), ...receipts.slice(1)], 'nothing'],
    [
      'a transaction has failed and logged',
      [{ ...receipt(0, [log(0, 0)]), status: '0x0' }, ...receipts.slice(1)],
      'nothing',
    ],
    ['the index has logs that the other receipts lack', [receipt(0, []), ...receipts.slice(1)], transactions[1] as Hex],
  ])('reads nothing when %s', async (_, given, tooLong) => {
    await expect(read(nodeOf(given, tooLong), { ...header, logsBloom })).rejects.toThrow(RpcUnavailableError);
  });

  it('reads nothing when a header is not the parent of the next', async () => {
    const { signal } = new AbortController();
    const blocks = createChainBlocks({ rpc: nodeOf(receipts), chainId: 1, contract, timeoutMs: 1_000, signal });
    const next: BlockHeader = { ...header, number: 8, hash: word(8), parentHash: word(9) };
    await expect(blocks.withCommitments([header, next])).rejects.toThrow('does not follow');
  });
});
