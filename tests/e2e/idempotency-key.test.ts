import { randomBytes } from 'node:crypto';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { StampAnswer } from './support/client.ts';
import { type RunningStack, startRunningStack } from './support/running-stack.ts';

jest.setTimeout(120_000);

let running: RunningStack;
beforeAll(async () => {
  running = await startRunningStack();
});
afterAll(() => running?.stop());

describe('when the gateway is killed under an Idempotency-Key', () => {
  /** Without any idempotency but the key's. */
  const stamp = async (cid: string, key: string): Promise<Pick<StampAnswer, 'status' | 'body'>> => {
    const { rootUrl, apiKey } = running.connection;
    const response = await fetch(`${rootUrl}/api/v1/stamps`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'idempotency-key': key },
      body: new URLSearchParams({ data_cid: cid, idempotent: 'false' }),
    });
    return { status: response.status, body: (await response.json()) as StampAnswer['body'] };
  };
  const transactionsOnChain = async (cid: string): Promise<string[]> => {
    const logs = (await running.anvil.request('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }])) as {
      topics: string[];
      data: string;
      transactionHash: string;
    }[];
    return logs
      .filter(({ topics, data }) => [...topics, data].some((text) => text.includes(cid.slice(2))))
      .map(({ transactionHash }) => transactionHash);
  };

  it('the retry is answered with the one stamp that the first attempt made (I2, I5, I6)', async () => {
    await running.anvil.request('evm_setIntervalMining', [0]);
    const cid = `0x${randomBytes(32).toString('hex')}`;
    const first = stamp(cid, 'killed');
    const lost = expect(first).rejects.toThrow('fetch failed');
    await eventually(async () => {
      const pool = (await running.anvil.request('txpool_status', [])) as { pending: string };
      expect(Number(pool.pending)).toBeGreaterThan(0);
    });
    await running.stack.services.gateway.kill();
    await lost;
    await running.anvil.request('evm_setIntervalMining', [1]);
    await running.stack.services.gateway.untilReady(AbortSignal.timeout(30_000));
    const retried = await stamp(cid, 'killed');
    expect(retried).toMatchObject({ status: 201, body: { commitment_receipt: { object_cid: cid } } });
    expect(await stamp(cid, 'killed')).toEqual(retried);
    expect(await transactionsOnChain(cid)).toEqual([retried.body.commitment_receipt.transaction_hash]);
  });
});
