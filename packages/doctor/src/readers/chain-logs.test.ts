import { eventTopics } from '@indelible/commitment-contract';
import { quantityOf, type Rpc, RpcUnavailableError } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { type ChainPort, commitmentsByRange } from './chain-logs.ts';

const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`;
const contract: Hex = `0x${'c'.repeat(40)}`;

/** A node whose blocks have so many logs each, and that refuses answers of more than `most`. */
function node(
  logsOf: (block: number) => number,
  most = Number.POSITIVE_INFINITY,
  userOf: (log: number) => Hex = () => word(1),
) {
  const asked: string[] = [];
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
    if (logs.length > most) throw new RpcUnavailableError('the answer is too long');
    asked.push(`${Number(fromBlock)}-${Number(toBlock)}`);
    largest = Math.max(largest, logs.length);
    // Nodes give them in any order.
    return logs.reverse();
  };
  const chain: ChainPort = { rpc: { call } as unknown as Rpc, chainId: 1, contract };
  return { chain, asked, largest: () => largest };
}

const placesOf = async (chain: ChainPort, from: number, to: number): Promise<string[]> => {
  const places: string[] = [];
  for await (const { commitments } of commitmentsByRange(chain, { from, to }))
    places.push(...commitments.map(({ blockNumber, logIndex }) => `${blockNumber}.${logIndex}`));
  return places;
};

describe('the commitments of a range of blocks', () => {
  it('come all, once, in the chain’s order, in ever wider ranges where there are few', async () => {
    const { chain, asked } = node((block) => (block % 100 === 0 ? 2 : 0));
    const places = await placesOf(chain, 1, 5_000);
    expect(places).toEqual(Array.from({ length: 50 }, (_, i) => [`${(i + 1) * 100}.0`, `${(i + 1) * 100}.1`]).flat());
    expect(asked[0]).toBe('1-16');
    expect(asked.length).toBeLessThan(15);
  });

  it('come in narrow ranges where they are dense, so that no answer is large', async () => {
    const { chain, largest } = node((block) => (block > 300 ? 2_000 : 0), 64_000);
    expect(await placesOf(chain, 1, 320)).toHaveLength(20 * 2_000);
    expect(largest()).toBeLessThanOrEqual(64_000);
  });

  it('come without the logs that nobody can decode, since anybody may have caused them', async () => {
    const { chain } = node(
      () => 3,
      undefined,
      (log) => (log === 1 ? `0x${'f'.repeat(64)}` : word(1)),
    );
    expect(await placesOf(chain, 7, 7)).toEqual(['7.0', '7.2']);
  });

  it('are not to be had when the node refuses a single block', async () => {
    const { chain } = node(() => 10, 5);
    await expect(placesOf(chain, 1, 3)).rejects.toThrow(RpcUnavailableError);
  });
});
