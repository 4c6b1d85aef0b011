import { eventTopics } from '@indelible/commitment-contract';
import { quantityOf, type Rpc, RpcAnswerError, RpcUnavailableError } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { type ChainPort, commitmentsByRange, createChainPort } from './chain-logs.ts';

const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`;
const contract: Hex = `0x${'c'.repeat(40)}`;
const tooLong = new RpcUnavailableError('the answer is too long');

type Options = {
  /** Of one answer; what is longer is refused. */
  readonly most?: number;
  readonly refusal?: Error;
  readonly userOf?: (log: number) => Hex;
  readonly change?: (log: object) => unknown;
};

/** A node whose blocks have so many logs each in its index, and whose receipts are unavailable. */
function node(
  logsOf: (block: number) => number,
  { most = Number.POSITIVE_INFINITY, refusal = tooLong, userOf = () => word(1), change = (log) => log }: Options = {},
) {
  const calls: string[] = [];
  let largest = 0;
  const call = async (_method: string, [filter]: readonly unknown[]): Promise<unknown> => {
    const { fromBlock, toBlock } = filter as { fromBlock: Hex; toBlock: Hex };
    const logs = [];
    for (let block = Number(fromBlock); block <= Number(toBlock); block++)
      for (let log = 0; log < logsOf(block); log++)
        logs.push({
          address: contract,
          topics: [eventTopics.AddObject, userOf(log), word(log + 1)],
          data: word(block),
          blockNumber: quantityOf(block),
          blockHash: word(block),
          transactionHash: word(block),
          transactionIndex: '0x0',
          logIndex: quantityOf(log),
        });
    if (logs.length > most) throw refusal;
    calls.push(`${Number(fromBlock)}-${Number(toBlock)}`);
    largest = Math.max(largest, logs.length);
    // Nodes give them in any order.
    return logs.reverse().map(change);
  };
  const rpc = { call } as unknown as Rpc;
  const chain = createChainPort({ rpc, chainId: 1, contract, timeoutMs: 1_000, signal: new AbortController().signal });
  return { chain, calls, largest: () => largest };
}

const placesOf = async (chain: ChainPort, from: number, to: number): Promise<string[]> => {
  const places: string[] = [];
  for await (const { commitments } of commitmentsByRange(chain, { from, to }))
    places.push(...commitments.map(({ blockNumber, logIndex }) => `${blockNumber}.${logIndex}`));
  return places;
};

describe('the commitments of a range of blocks', () => {
  it('come all, once, in the chain’s order, in ever wider ranges where there are few', async () => {
    const { chain, calls } = node((block) => (block % 100 === 0 ? 2 : 0));
    const places = await placesOf(chain, 1, 5_000);
    expect(places).toEqual(Array.from({ length: 50 }, (_, i) => [`${(i + 1) * 100}.0`, `${(i + 1) * 100}.1`]).flat());
    expect(calls[0]).toBe('1-16');
    expect(calls.length).toBeLessThan(15);
  });

  it('cost one request for a thousand blocks, of which no provider refuses more', async () => {
    const { chain, calls } = node(() => 0);
    await placesOf(chain, 1, 1_000_000);
    expect(calls.length).toBeLessThan(1_010);
    const widths = calls.map((range) => range.split('-').map(Number)).map(([from = 0, to = 0]) => to - from + 1);
    expect(Math.max(...widths)).toBe(1_000);
  });

  it('come in narrow ranges where they are dense, so that no answer is large', async () => {
    const { chain, largest } = node((block) => (block > 300 ? 2_000 : 0), { most: 64_000 });
    expect(await placesOf(chain, 1, 320)).toHaveLength(20 * 2_000);
    expect(largest()).toBeLessThanOrEqual(64_000);
  });

  it('come without the logs that nobody can decode, since anybody may have caused them', async () => {
    const { chain } = node(() => 3, { userOf: (log) => (log === 1 ? `0x${'f'.repeat(64)}` : word(1)) });
    expect(await placesOf(chain, 7, 7)).toEqual(['7.0', '7.2']);
  });

  it('are not to be had when the node refuses a single block', async () => {
    const { chain } = node(() => 10, { most: 5 });
    await expect(placesOf(chain, 1, 3)).rejects.toThrow(RpcUnavailableError);
  });

  it.each([
    ['is more than the node gives', new RpcAnswerError('eth_getLogs', -32_005, 'more than 10000 results', undefined)],
    ['is more than this client takes', new RpcUnavailableError('too long', { fault: 'too-long' })],
  ])('are read by receipts in a single block whose answer %s', async (_, refusal) => {
    const { chain } = node((block) => (block === 2 ? 10 : 1), { most: 5, refusal });
    const header = { number: 2, hash: word(2) };
    const log = {
      logIndex: 9,
      blockTime: 2,
      transactionHash: word(2),
      account: word(1),
      setCid: word(0),
      objectCid: word(3),
    };
    const reader = {
      ...chain.reader,
      headers: async (numbers: readonly number[]) => numbers.map((number) => ({ ...header, number })),
      withLogs: async (headers: readonly object[]) =>
        headers.map((one) => ({ header: one, logs: [log], undecodable: 0 })),
    } as unknown as ChainPort['reader'];
    expect(await placesOf({ ...chain, reader }, 1, 3)).toEqual(['1.0', '2.9', '3.0']);
  });

  it.each<[string, (log: object) => unknown]>([
    ['was removed', (log) => ({ ...log, removed: true })],
    ['names no block', (log) => ({ ...log, blockHash: undefined })],
    ['has half a topic', (log) => ({ ...log, topics: ['0x12'] })],
    ['is nothing', () => null],
  ])('are not to be had when a log %s', async (_, change) => {
    const { chain } = node(() => 1, { change });
    await expect(placesOf(chain, 1, 3)).rejects.toThrow(RpcUnavailableError);
  });
});
