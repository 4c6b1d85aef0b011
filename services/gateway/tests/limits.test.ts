import { cidOfContent } from '@indelible/identifiers';
import type { RequestStamp } from '@indelible/messages';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Account,
  type AnyBody,
  formOf,
  type Gateway,
  type GatewayResponse,
  startGateway,
} from './gateway-harness.ts';

let gateway: Gateway;
let ada: Account;
beforeAll(async () => {
  gateway = await startGateway({ waitLimitMs: 3_000, publicUrl: 'https://stamps.example.org' });
  ada = await gateway.openAccount();
}, 120_000);
afterAll(() => gateway.dispose(), 60_000);

const post = (fields: Record<string, string | Blob>): Promise<GatewayResponse<AnyBody>> =>
  gateway.send(ada, '/stamps', { method: 'POST', body: formOf(fields) });

describe('the wait limit', () => {
  it('ends in 503 with the status resource, which is a 503 until the request is decided and never a 404; a retry joins the stamp (I6)', async () => {
    gateway.stamping.script(async () => {});
    const cid = cidOfContent('slow chain');
    const answer = await post({ data_cid: cid });
    const [command] = gateway.stamping.commands as [RequestStamp];
    const url = `https://stamps.example.org/api/v1/stamps/${command.requestId}`;
    expect(answer).toMatchObject({ status: 503, body: { error: expect.any(String), details: url } });
    expect(answer.headers.get('Location')).toBe(url);
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
    const undecided = await gateway.send(ada, `/stamps/${command.requestId}`);
    expect([undecided.status, undecided.headers.get('Retry-After')]).toEqual([503, '1']);

    gateway.stamping.script(async (retry) => {
      await gateway.stamping.join(retry, command.requestId);
      await gateway.stamping.accept(command);
      const receipt = await gateway.stamping.confirm(command);
      await gateway.stamping.repeat(retry, command.requestId, receipt);
    });
    expect((await post({ data_cid: cid })).status).toBe(200);
    await eventually(async () =>
      expect((await gateway.send(ada, `/stamps/${command.requestId}`)).body).toMatchObject({
        status: 'confirmed',
        commitment_receipt: { object_cid: cid },
      }),
    );
  });

  it('for a collection that is not shown has the advice to repeat the request', async () => {
    gateway.stamping.scriptCollections(async () => {});
    const answer = await gateway.send(ada, '/collections', {
      method: 'POST',
      body: JSON.stringify({ name: 'Slow' }),
      headers: { 'Content-Type': 'application/json' },
    });
    expect(answer).toMatchObject({ status: 503, body: { details: expect.stringContaining('repeat the request') } });
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
  });
});
