import { encodeCommitBatch } from '@indelible/commitment-contract';
import type { TestAnvil } from '@indelible/testing';

/** An account of anvil's own that the service does not know, with plenty of coin. */
export const stranger = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

/** Sends raw call data to the contract; the transaction is mined whether the call succeeds or reverts. */
export const callAsStranger = (anvil: TestAnvil, contract: string, data: string): Promise<string> =>
  anvil.request<string>('eth_sendTransaction', [{ from: stranger, to: contract, data, gas: '0x7a120' }]);

/** A batch of one object for the user word 2^256−1: not an address, so nobody can have granted anything. */
export function batchOfNoAddress(objectCid: `0x${string}`): string {
  const user = `0x${'11'.repeat(20)}` as const;
  const run = { user, count: 1, newSet: false, setCid: `0x${'00'.repeat(32)}` as const };
  const data = Buffer.from(encodeCommitBatch([run], [objectCid])).toString('hex');
  return `0x${data.replace(user.slice(2).padStart(64, '0'), 'f'.repeat(64))}`;
}
