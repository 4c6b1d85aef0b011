import { cidOfContent } from '@indelible/identifiers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import createClient from 'openapi-fetch';
import type { components, paths } from '../src/api/generated/openapi.ts';
import { type Account, type Gateway, startGateway } from './gateway-harness.ts';

/**
 * A client generated from the document (openapi-typescript's types, openapi-fetch) as its users would write it. That it
 * compiles is half of the test: every path, parameter, body and answer below is checked against the document's types.
 */
type Schemas = components['schemas'];
type Client = ReturnType<typeof createClient<paths>>;

let gateway: Gateway;
let ada: Account;
let client: Client;
beforeAll(async () => {
  gateway = await startGateway();
  ada = await gateway.openAccount();
  client = createClient<paths>({ baseUrl: gateway.base, headers: { Authorization: `Bearer ${ada.apiKey}` } });
  gateway.stamping.confirmAll();
}, 120_000);
afterAll(() => gateway.dispose(), 60_000);

/** A form as fetch sends it; booleans and numbers in their text. */
const multipart = (fields: object): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  return form;
};

describe('a client generated from the document', () => {
  it('stamps, and distinguishes a new stamp from a repeated one by its types', async () => {
    const object_cid = cidOfContent('generated');
    const { data, error, response } = await client.POST('/stamps', {
      body: { data_cid: object_cid, store_stamped_file: false, idempotency_window: 60 },
      bodySerializer: multipart,
    });
    expect(error).toBeUndefined();
    expect(response.status).toBe(201);
    if (data === undefined || !('commitment_receipt' in data)) throw new Error('no receipt');
    const receipt: Schemas['CommitmentReceipt'] = data.commitment_receipt;
    expect(receipt.object_cid).toBe(object_cid);
  });

  it('stamps later, and reads the status', async () => {
    const { data } = await client.POST('/stamps', {
      params: { header: { Prefer: 'respond-async' } },
      body: { data_cid: cidOfContent('later') },
      bodySerializer: multipart,
    });
    if (data === undefined || !('id' in data)) throw new Error('not accepted');
    const status = await client.GET('/stamps/{id}', { params: { path: { id: data.id } } });
    const name: Schemas['StampStatusName'] | undefined = status.data?.status;
    expect(['accepted', 'submitted', 'confirmed']).toContain(name);
  });

  it('looks stamps up', async () => {
    gateway.neighbours.answerLookups(200, { receipts: [] });
    const { data } = await client.POST('/stamps/verify', { body: { cids: [cidOfContent('generated')] } });
    const found: readonly Schemas['CommitmentReceipt'][] | undefined = data?.stamp_list;
    expect(found).toEqual([]);
  });

  it('lists collections, and reads settings', async () => {
    const listed = await client.GET('/collections', { params: { query: { is_pinned: true } } });
    const names: readonly string[] | undefined = listed.data?.map(({ name }) => name);
    expect(names).toEqual([]);
    const me = await client.GET('/users/me');
    const user = await client.GET('/users/{user_address}', { params: { path: { user_address: ada.account } } });
    expect(user.data).toEqual(me.data);
    expect(me.data?.last_name).toBe('Ada');
  });

  it('has every error in one type', async () => {
    const { data, error, response } = await client.POST('/collections', { body: { name: ' ' } });
    expect([data, response.status]).toEqual([undefined, 400]);
    const fault: Schemas['Error'] | undefined = error;
    expect(fault?.error).toContain('name');
  });
});
