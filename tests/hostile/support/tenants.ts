import { randomBytes } from 'node:crypto';
import { eventually } from '@indelible/testing';
import { expect } from '@jest/globals';
import { type Answer, type Api, createApi } from '../../contract/support/api.ts';
import type { ContractStack } from '../../contract/support/contract-stack.ts';

/** I11: an ordinary stamp is confirmed within this time once a fault has ended, on a chain with a block a second. */
export const recoveryMs = 60_000;

export const freshCid = (): string => `0x${randomBytes(32).toString('hex')}`;

/** The holder of a key of an account of its own. */
export async function openTenant(stack: ContractStack, name: string): Promise<Api> {
  const { apiKey } = await stack.indelible<{ apiKey: string }>(
    ...['accounts', 'create', '--name', name, '--email', `${name.toLowerCase()}@example.com`],
  );
  return createApi(stack, apiKey);
}

/** An ordinary stamp, repeated as a client would after a 503, is confirmed in time: the service goes on for this tenant. */
export async function expectOrdinaryStamp(api: Api): Promise<Answer> {
  const data_cid = freshCid();
  let answer: Answer | undefined;
  await eventually(
    async () => {
      answer = await api.stamp({ data_cid });
      if (answer.status !== 200 && answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
    },
    { timeoutMs: recoveryMs },
  );
  return answer as Answer;
}

/** A stamp whose answer is waited for longer than the service itself waits for the chain. */
export const stampPatiently = (api: Api): Promise<Answer> =>
  api.send(
    {
      path: '/stamps',
      headers: ['Content-Type: application/x-www-form-urlencoded'],
      body: `data_cid=${freshCid()}`,
    },
    2 * recoveryMs,
  );

/** The address of the account that a key is of. */
export async function addressOf(api: Api): Promise<string> {
  const { body } = await api.get('/users/me');
  return String(body.last_address);
}

export type BatchResult = { readonly status: string; readonly retryable?: boolean };

/** The results of a batch of stamps, one for each line. */
export async function stampBatch(
  api: Api,
  lines: readonly { readonly data_cid: string }[],
): Promise<readonly BatchResult[]> {
  const response = await fetch(`http://127.0.0.1:${api.port}/api/v1/stamps/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.apiKey}`, 'content-type': 'application/x-ndjson' },
    body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  });
  expect(response.status).toBe(200);
  const results = (await response.text()).trim().split('\n');
  return results.map((line) => JSON.parse(line) as BatchResult);
}
