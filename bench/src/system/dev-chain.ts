import { setTimeout as delay } from 'node:timers/promises';
import type { Rpc } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';

/** A transaction of an account whose key is not needed: a development chain sends for anyone. */
export type Unsigned = { readonly from: Hex; readonly to?: Hex; readonly data: Hex; readonly gas: number };
export type Mined = { readonly gasUsed: number; readonly contractAddress: Hex | null; readonly logs: number };

const callsPerBatch = 100;
const minedWithinMs = 60_000;
/** 10^24 wei. */
const balance = '0xd3c21bcecceda1000000';

/**
 * Sends transactions on a development chain and waits until all of them are in blocks, in whichever order.
 * @throws Error when one fails, or is in no block in time
 */
export async function sendUnsigned(rpc: Rpc, transactions: readonly Unsigned[], signal: AbortSignal): Promise<Mined[]> {
  const senders = [...new Set(transactions.map(({ from }) => from))];
  await callAll(
    rpc,
    senders.flatMap((sender) => [
      ['anvil_setBalance', [sender, balance]] as const,
      ['anvil_impersonateAccount', [sender]] as const,
    ]),
  );
  const hashes = await callAll<Hex>(
    rpc,
    transactions.map(({ gas, ...transaction }) => [
      'eth_sendTransaction',
      [{ ...transaction, gas: `0x${gas.toString(16)}` }],
    ]),
  );
  const deadline = performance.now() + minedWithinMs;
  for (;;) {
    const receipts = await callAll<Receipt | null>(
      rpc,
      hashes.map((hash) => ['eth_getTransactionReceipt', [hash]]),
    );
    const found = receipts.filter((receipt) => receipt !== null);
    if (found.some(({ status }) => status !== '0x1')) throw new Error('a transaction failed');
    if (found.length === hashes.length)
      return found.map(({ gasUsed, contractAddress, logs }) => ({
        ...{ gasUsed: Number(gasUsed), contractAddress, logs: logs.length },
      }));
    if (performance.now() > deadline) throw new Error('a transaction is in no block in time');
    await delay(100, undefined, { signal });
  }
}

type Receipt = {
  readonly status: Hex;
  readonly gasUsed: Hex;
  readonly contractAddress: Hex | null;
  readonly logs: readonly unknown[];
};
type Call = readonly [method: string, params: readonly unknown[]];

async function callAll<Result>(rpc: Rpc, calls: readonly Call[]): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < calls.length; at += callsPerBatch)
    for (const outcome of await rpc.batch(
      calls.slice(at, at + callsPerBatch).map(([method, params]) => ({ method, params })),
    )) {
      if (!outcome.ok) throw outcome.error;
      results.push(outcome.result as Result);
    }
  return results;
}
