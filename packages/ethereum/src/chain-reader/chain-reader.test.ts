import { effectOfLog, eventTopics } from '@indelible/commitment-contract';
import type { Hex } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import type { Rpc, RpcCall } from '../rpc/port.ts';
import { createChainReader, type ReadHeader } from './chain-reader.ts';

const contract: Hex = `0x${'cc'.repeat(20)}`;
const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`;
/** It allows for every log of the contract. */
const logsBloom: Hex = `0x7${'f'.repeat(511)}`;
const block = (number: number) => ({
  number: `0x${number}`,
  hash: word(number),
  parentHash: word(number - 1),
  timestamp: '0x64',
  logsBloom,
  gasLimit: '0x9',
  gasUsed: '0x9',
  transactions: [word(50 + number)],
});
const receipt = (number: number) => ({
  blockHash: word(number),
  transactionHash: word(50 + number),
  transactionIndex: '0x0',
  blockNumber: `0x${number}`,
  from: contract,
  gasUsed: '0x9',
  cumulativeGasUsed: '0x9',
  status: '0x1',
  logsBloom,
  logs: [
    {
      address: contract,
      topics: [eventTopics.AddObject, word(1), word(100 + number)],
      data: word(100),
      blockHash: word(number),
      blockNumber: `0x${number}`,
      transactionHash: word(50 + number),
      transactionIndex: '0x0',
      logIndex: '0x0',
    },
  ],
});
/** As a subscription brings it: without transactions. */
const told = (number: number): ReadHeader => {
  return { number, hash: word(number), parentHash: word(number - 1), timestamp: 100, logsBloom };
};

/** A node with blocks 1 to 9, whose answers `change` may alter. */
function readerOf(change: (method: string, answer: object) => object | null = (_method, answer) => answer) {
  const asked: string[] = [];
  const answer = ({ method, params: [first] }: Pick<RpcCall, 'method' | 'params'>): unknown => {
    asked.push(method);
    const number = Number(first);
    if (method === 'eth_getBlockReceipts') return change(method, [receipt(number)]);
    if (method === 'eth_getTransactionReceipt') return change(method, receipt(number - 50));
    return number > 9 ? null : change(method, block(number));
  };
  const rpc = {
    call: async (method: string, params: readonly unknown[]) => answer({ method, params }),
    batch: async (calls: readonly RpcCall[]) => calls.map((call) => ({ ok: true, result: answer(call) })),
  } as unknown as Rpc;
  const { signal } = new AbortController();
  const topics = [eventTopics.AddObject as Hex];
  return { reader: createChainReader({ rpc, contract, topics, decode: effectOfLog, timeoutMs: 1_000, signal }), asked };
}
const unavailable = { name: 'RpcUnavailableError', retryable: true };

describe('the headers of a chain', () => {
  it('are those that the node has, in the order of the numbers', async () => {
    const { reader } = readerOf();
    expect((await reader.headers([8, 3, 10])).map(({ number, hash }) => [number, hash])).toEqual([
      [8, word(8)],
      [3, word(3)],
    ]);
  });

  it('are not taken of other numbers', async () => {
    const { reader } = readerOf((_method, answer) => ({ ...answer, number: '0x2' }));
    await expect(reader.headers([2, 3])).rejects.toMatchObject(unavailable);
  });
});

describe('what the contract logged in blocks', () => {
  it('comes with each block, without a question besides its receipts', async () => {
    const { reader, asked } = readerOf();
    const blocks = await reader.withLogs(await reader.headers([3, 4]));
    expect(blocks).toMatchObject([
      {
        header: { number: 3 },
        logs: [{ objectCid: word(103), transactionHash: word(53), logIndex: 0 }],
        undecodable: 0,
      },
      { header: { number: 4 }, logs: [{ objectCid: word(104) }] },
    ]);
    expect(asked.slice(2)).toEqual(['eth_getBlockReceipts', 'eth_getBlockReceipts']);
  });

  it('is not read of blocks that do not follow each other', async () => {
    const { reader } = readerOf();
    const [third, fifth] = await reader.headers([3, 5]);
    await expect(reader.withLogs([third!, fifth!])).rejects.toMatchObject(unavailable);
    await expect(reader.withLogs([third!, { ...fifth!, number: 4, parentHash: word(9) }])).rejects.toMatchObject(
      unavailable,
    );
  });

  it('is read of blocks whose filters are empty, until one is seen that is not', async () => {
    const { reader } = readerOf();
    const [third, fourth, fifth] = await reader.headers([3, 4, 5]);
    const empty: Hex = `0x${'0'.repeat(512)}`;
    const blocks = await reader.withLogs([{ ...third!, logsBloom: empty }, fourth!, { ...fifth!, logsBloom: empty }]);
    expect(blocks.map(({ logs }) => logs.length)).toEqual([1, 1, 0]);
  });

  it.each<[string, (receipts: object[]) => object[]]>([
    ['lacks one', () => []],
    ['has one twice', (receipts) => [...receipts, ...receipts]],
    ['has one of another transaction', (receipts) => receipts.map((one) => ({ ...one, transactionHash: word(1) }))],
  ])(
    'is read by its transactions when the node’s list of receipts %s: it follows the chain all the same (I11)',
    async (_, change) => {
      const { reader, asked } = readerOf((method, answer) =>
        method === 'eth_getBlockReceipts' ? change(answer as object[]) : answer,
      );
      expect(await reader.withLogs(await reader.headers([3, 4]))).toMatchObject([
        { logs: [{ objectCid: word(103) }] },
        { logs: [{ objectCid: word(104) }] },
      ]);
      expect(asked).toContain('eth_getTransactionReceipt');
    },
  );

  it('is not taken when neither the list of receipts nor their look-up has those of the transactions', async () => {
    const { reader } = readerOf((method, answer) =>
      method === 'eth_getBlockReceipts' ? [] : method === 'eth_getTransactionReceipt' ? null : answer,
    );
    await expect(reader.withLogs(await reader.headers([3]))).rejects.toMatchObject(unavailable);
  });

  it('is held against the whole block where its header was only told', async () => {
    const { reader, asked } = readerOf();
    expect(await reader.withLogs([told(3)])).toMatchObject([{ logs: [{ objectCid: word(103) }] }]);
    expect(asked.toSorted()).toEqual(['eth_getBlockByHash', 'eth_getBlockReceipts']);
  });

  it.each<[string, Partial<ReadHeader>]>([
    ['number', { number: 4 }],
    ['parent', { parentHash: word(9) }],
    ['time', { timestamp: 101 }],
  ])('is not taken when the block has another %s than was told', async (_, change) => {
    const { reader } = readerOf();
    await expect(reader.withLogs([{ ...told(3), ...change }])).rejects.toMatchObject(unavailable);
  });

  it.each([
    ['is another', (answer: object) => ({ ...answer, hash: word(9) })],
    ['is not there', () => null],
    ['has more transactions than receipts', (answer: object) => ({ ...answer, transactions: [word(53), word(54)] })],
    ['has another transaction', (answer: object) => ({ ...answer, transactions: [word(54)] })],
  ])('is not taken when the block of a header that was told %s', async (_, change) => {
    const { reader } = readerOf((method, answer) => (method === 'eth_getBlockByHash' ? change(answer) : answer));
    await expect(reader.withLogs([told(3)])).rejects.toMatchObject(unavailable);
  });
});

describe('what the contract logged in a transaction', () => {
  it('is read of its block once for those that are requested one after the other', async () => {
    const { reader, asked } = readerOf();
    for (let i = 0; i < 2; i++)
      expect(await reader.ofTransaction(word(53))).toMatchObject({ logs: [{ objectCid: word(103) }] });
    expect(await reader.ofTransaction(word(54))).toMatchObject({ logs: [{ objectCid: word(104) }] });
    expect(asked.filter((method) => method === 'eth_getBlockReceipts')).toHaveLength(2);
  });
});
