import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { newestBlock } from '../src/load/stamp-audit.ts';
import { growStamps, settleStores } from '../src/system/grown-stores.ts';
import { serviceTarget } from '../src/system/service-target.ts';
import type { System } from '../src/system/start-system.ts';
import { startTestSystem } from './test-system.ts';

jest.setTimeout(180_000);

const sizes = [1_500, 4_000] as const;
const { signal } = new AbortController();
const since = Date.now() - 86_400_000;

let system: System;
let database: pg.Client;
beforeAll(async () => {
  system = await startTestSystem();
  database = new pg.Client({ connectionString: system.connection.databaseUrl });
  await database.connect();
  const { chain } = serviceTarget(system.connection);
  let from = 0;
  for (const to of sizes) {
    const head = await newestBlock(chain.rpcUrl);
    const { user: account, chainId } = chain;
    await growStamps(system.connection.databaseUrl, { account, chainId, head, from, to, since }, signal);
    from = to;
  }
  await settleStores(system.connection.databaseUrl);
});
afterAll(async () => {
  await database?.end();
  await system?.stop();
});

const cidOf = (n: number): string => `0x${createHash('sha256').update(`grown${n}`).digest('hex')}`;
const idOf = (n: number): string => {
  const random = createHash('md5').update(`stamp${n}`).digest('hex');
  const digits = `${(since + n).toString(16).padStart(12, '0')}7${random.slice(0, 3)}8${random.slice(3, 18)}`;
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};
const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(new URL(`/api/v1/${path}`, system.connection.rootUrl), {
    ...init,
    headers: { authorization: `Bearer ${system.connection.apiKey}`, ...init.headers },
  });
const count = async (from: string): Promise<number> =>
  Number((await database.query<{ n: string }>(`select count(*) as n from ${from}`)).rows[0]?.n);

describe('stamps that are written straight into the stores', () => {
  it('are found like the services’ own: by status, by verify, and by a repeated request', async () => {
    for (const n of [0, 1_499, 1_500, 3_999]) {
      const status = (await (await ask(`stamps/${idOf(n)}`)).json()) as Record<string, unknown>;
      expect(status).toMatchObject({ status: 'finalized', object_cid: cidOf(n) });
      const headers = { 'content-type': 'application/json' };
      const verified = await ask('stamps/verify', {
        method: 'POST',
        body: JSON.stringify({ cids: [cidOf(n)] }),
        headers,
      });
      expect(await verified.json()).toMatchObject({ stamp_list: [status.commitment_receipt] });
      const body = new URLSearchParams({ data_cid: cidOf(n), idempotency_window: '31536000' });
      const repeated = await ask('stamps', { method: 'POST', body });
      expect([repeated.status, await repeated.json()]).toEqual([
        200,
        { commitment_receipt: status.commitment_receipt },
      ]);
    }
  });

  it('are each there once, in batches of the size that they say, and nothing of them is published', async () => {
    const [, last] = sizes;
    expect(await count(`stamping.stamps where status = 'confirmed'`)).toBe(last);
    expect(await count(`stamping.events where type in ('StampRequested', 'StampConfirmed')`)).toBe(2 * last);
    expect(await count(`stamping.stamps s left join stamping.batches b on b.id = s.batch_id where b.id is null`)).toBe(
      0,
    );
    expect(
      await count(`stamping.batches where status = 'finalized' and kind = 'commit' and nonce < 4`),
    ).toBeGreaterThanOrEqual(4);
    expect(await count('verification.commitments')).toBe(last);
    expect(
      await count(
        `stamping.events e, stamping.relay_cursor c where e.stream like 'stamp-%' and e.position > c.position`,
      ),
    ).toBe(0);
  });
});
