import { eventTopics } from '@indelible/commitment-contract';
import { quantityOf, type Rpc, RpcUnavailableError } from '@indelible/ethereum';
import { type Hex, zeroCid } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import type { Commitment } from '../decisions/compare-commitment.ts';
import type { ChainPort } from '../readers/chain-logs.ts';
import type { Reader } from '../readers/reader.ts';
import { examine } from '../running/examine.ts';
import { surveyCommitments } from './commitments.ts';

const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`;
const contract: Hex = `0x${'c'.repeat(40)}`;
const account: Hex = `0x${'a'.repeat(40)}`;

const at = (blockNumber: number, changes: Partial<Commitment> = {}): Commitment => ({
  blockNumber,
  logIndex: 0,
  blockHash: word(blockNumber),
  blockTime: blockNumber,
  transactionHash: word(blockNumber),
  account,
  setCid: zeroCid,
  objectCid: word(blockNumber),
  ...changes,
});

const logOf = (one: Commitment) => ({
  address: contract,
  topics: [eventTopics.AddObject, `0x${account.slice(2).padStart(64, '0')}`, one.objectCid],
  data: word(one.blockTime),
  blockNumber: quantityOf(one.blockNumber),
  blockHash: one.blockHash,
  transactionHash: one.transactionHash,
  transactionIndex: '0x0',
  logIndex: quantityOf(one.logIndex),
});

type Kept = {
  readonly index: readonly Commitment[];
  /** Undefined: unavailable. */
  readonly receipts: readonly Commitment[] | undefined;
  readonly table: readonly Commitment[];
};

/** What the check says of blocks 1 to 9, and the blocks whose receipts it read. */
async function check({ index, receipts, table }: Kept) {
  const strong: number[] = [];
  const call = async (_method: string, [filter]: readonly unknown[]): Promise<unknown> => {
    const { fromBlock, toBlock } = filter as { fromBlock: Hex; toBlock: Hex };
    return index.filter((one) => one.blockNumber >= Number(fromBlock) && one.blockNumber <= Number(toBlock)).map(logOf);
  };
  const chain = {
    rpc: { call } as unknown as Rpc,
    chainId: 1,
    contract,
    signal: new AbortController().signal,
    reader: {
      headers: async (numbers: readonly number[]) => numbers.map((number) => ({ number, hash: word(number) })),
      withLogs: async (headers: readonly { readonly number: number }[]) =>
        headers.map((header) => {
          strong.push(header.number);
          if (receipts === undefined) throw new RpcUnavailableError('no receipts');
          return { header, logs: receipts.filter((one) => one.blockNumber === header.number), undecodable: 0 };
        }),
    },
  } as unknown as ChainPort;
  const query = async (sql: string, parameters: readonly unknown[] = []): Promise<unknown[]> => {
    if (sql.includes('chain.cursor')) return [{ from: 1, to: 9 }];
    const [, from, to, log] = parameters.map(Number) as [number, number, number, number];
    return table.filter(
      ({ blockNumber, logIndex }) =>
        blockNumber <= to && (blockNumber > from || (blockNumber === from && logIndex > log)),
    );
  };
  const reader = { query } as unknown as Reader;
  const survey = surveyCommitments({ reader, chain, pageSize: 100 });
  const finding = await examine(
    { name: 'commitments', prepare: async () => undefined, surveys: [survey] },
    { recheckAfterMs: 0, mostShown: 10, describe: String },
  );
  return { outcome: finding.outcome, whats: finding.shown.map(({ what }) => what), strong };
}

const all = [at(3), at(5), at(8)];
const clean = { outcome: 'clean', whats: [] };

describe('the commitments of the chain and of the table', () => {
  it('cost no receipts while the index of logs and the table agree', async () => {
    expect(await check({ index: all, receipts: all, table: all })).toEqual({ ...clean, strong: [] });
  });

  it('do not differ when the index lags, leaves a log out, or has one that is none (I8)', async () => {
    expect(await check({ index: [at(3)], receipts: all, table: all })).toEqual({ ...clean, strong: [5, 8] });
    expect(await check({ index: [at(3), at(8)], receipts: all, table: all })).toEqual({ ...clean, strong: [5] });
    expect(await check({ index: [...all, at(9)], receipts: all, table: all })).toEqual({ ...clean, strong: [9] });
    const forked = [at(3), at(5, { blockHash: word(55) }), at(8)];
    expect(await check({ index: forked, receipts: all, table: all })).toEqual({ ...clean, strong: [5] });
  });

  it('differ by what the receipts of the block have, in it alone', async () => {
    expect(await check({ index: all, receipts: all, table: [at(3), at(8)] })).toEqual({
      outcome: 'differs',
      whats: ['is on the chain, and not in verification.commitments'],
      strong: [5],
    });
    expect(await check({ index: [at(3), at(5)], receipts: [at(3), at(5)], table: all })).toEqual({
      outcome: 'differs',
      whats: ['is in verification.commitments, and not on the chain'],
      strong: [8],
    });
    // The index names the wrong field; the receipts, and so the report, the right one.
    const index = [at(3), at(5, { objectCid: word(99) }), at(8)];
    expect(await check({ index, receipts: all, table: [at(3), at(5, { blockTime: 6 }), at(8)] })).toEqual({
      outcome: 'differs',
      whats: ['block time in verification.commitments is not what the chain says'],
      strong: [5],
    });
  });

  it('are not said to differ when the receipts are not to be had', async () => {
    const { outcome, whats } = await check({ index: [], receipts: undefined, table: all });
    expect({ outcome, whats }).toEqual({ outcome: 'not looked', whats: [] });
  });
});
