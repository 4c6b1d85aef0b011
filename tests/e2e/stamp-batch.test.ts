import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { Receipt } from './support/client.ts';
import { type RunningStack, startRunningStack } from './support/running-stack.ts';

// A batch on the running services, from its lines to the chain.
jest.setTimeout(120_000);

let running: RunningStack;
beforeAll(async () => {
  running = await startRunningStack();
}, 120_000);
afterAll(() => running?.stop(), 60_000);

type Result = {
  readonly line: number;
  readonly client_ref?: string;
  readonly status: string;
  readonly id?: string;
  readonly commitment_receipt?: Receipt;
};

const cidOf = (content: string): string => `0x${createHash('sha3-256').update(content).digest('hex')}`;
async function post(lines: readonly object[]): Promise<readonly Result[]> {
  const { rootUrl, apiKey } = running.connection;
  const response = await fetch(`${rootUrl}/api/v1/stamps/batch`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/x-ndjson' },
    body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  });
  expect(response.status).toBe(200);
  return (await response.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Result);
}
/** How many commitments the contract has logged. */
async function commitments(): Promise<number> {
  const filter = { address: running.connection.contractAddress, fromBlock: '0x0', toBlock: 'latest' };
  return (await running.anvil.request<unknown[]>('eth_getLogs', [filter])).length;
}

const lines = Array.from({ length: 3_000 }, (_, i) => ({
  data_cid: cidOf(`batched ${i}`),
  client_ref: `row ${i}`,
  ...(i % 3 === 0 ? {} : { collection_name: `Batch ${i % 3}` }),
}));
const repeated = Array.from({ length: 10 }, (_, i) => lines[i * 7] as (typeof lines)[number]);
let first: readonly Result[];

it('a batch of thousands is stamped once a line and answered in order, with what the chain holds (I1, I9)', async () => {
  const before = await commitments();
  first = await post([...lines, ...repeated]);
  expect(first.map(({ line, client_ref }) => [line, client_ref])).toEqual(
    [...lines, ...repeated].map(({ client_ref }, i) => [i + 1, client_ref]),
  );
  expect(first.map(({ status }) => status)).toEqual([...lines.map(() => 'created'), ...repeated.map(() => 'repeated')]);
  expect(first.map(({ commitment_receipt }) => commitment_receipt?.object_cid)).toEqual(
    [...lines, ...repeated].map(({ data_cid }) => data_cid),
  );
  // It created two collections.
  expect((await commitments()) - before).toBe(lines.length + 2);
  const receipts = first.slice(0, lines.length).map(({ commitment_receipt }) => commitment_receipt as Receipt);
  for (const place of [0, 1, 2, 1_499, 2_999]) {
    const receipt = receipts[place] as Receipt;
    expect((await running.client.verify([receipt.object_cid])).body.stamp_list).toEqual([receipt]);
    const mined = await running.anvil.request<{ status: string }>('eth_getTransactionReceipt', [
      receipt.transaction_hash,
    ]);
    expect(mined.status).toBe('0x1');
  }
});

it('the same batch again stamps nothing and is answered by the same receipts, as is a single stamp (I2)', async () => {
  const before = await commitments();
  const again = await post(lines);
  expect(new Set(again.map(({ status }) => status))).toEqual(new Set(['repeated']));
  expect(again.map(({ commitment_receipt }) => commitment_receipt)).toEqual(
    first.slice(0, lines.length).map(({ commitment_receipt }) => commitment_receipt),
  );
  const { data_cid } = lines[0] as (typeof lines)[number];
  const single = await running.client.stamp({ data_cid });
  expect(single).toMatchObject({ status: 200, body: { commitment_receipt: first[0]?.commitment_receipt } });
  expect(await commitments()).toBe(before);
});
