import { randomBytes } from 'node:crypto';
import { eventually } from '@indelible/testing';
import { expect } from '@jest/globals';
import { createConnection, form } from './requests.ts';

/** The grant of the account is on the chain, and all services know of it. */
export async function untilFirstStamp(url: string, apiKey: string): Promise<void> {
  const connection = createConnection(url, apiKey);
  const cid = `0x${randomBytes(32).toString('hex')}`;
  const body = await form({ data_cid: cid });
  try {
    await eventually(
      async () => {
        const { status } = await connection.send('POST', 'stamps', body, { 'Idempotency-Key': cid });
        expect([200, 201]).toContain(status);
      },
      { timeoutMs: 60_000, intervalMs: 500 },
    );
  } finally {
    connection.close();
  }
}
