import { describe, expect, it } from '@jest/globals';
import { HttpError } from '../../errors/http-error.ts';
import { loadDocument, type Operation, type OperationId } from './document.ts';
import { createValidator, type RequestParts } from './validator.ts';

const document = loadDocument();
const validate = createValidator(document);
const uuid = '0198f2c4-7b1e-4c3a-9d52-6e0f8a1b2c3d';
const cid = `0x${'ab'.repeat(32)}`;

/** How a request to an operation is refused; undefined: it fits. */
async function faultOf(id: OperationId, parts: Partial<RequestParts>) {
  const operation = document.operations.find((one) => one.id === id) as Operation;
  try {
    await validate(operation, { query: {}, params: {}, headers: {}, ...parts });
    return undefined;
  } catch (error) {
    const { status, message, details } = error as HttpError;
    expect(error).toBeInstanceOf(HttpError);
    return details === undefined ? `${status} ${message}` : `${status} ${message}; ${details}`;
  }
}

describe('the validator', () => {
  it.each<[OperationId, Partial<RequestParts>]>([
    ['getStamp', { params: { id: uuid } }],
    ['listCollections', { query: { is_pinned: 'TRUE', limit: '7', user_address: `0x${'aB'.repeat(20)}` } }],
    ['listEvents', { query: { types: 'stamp.confirmed,stamp.failed', collections: `${cid},${cid}` } }],
    ['getStampStatuses', { json: { ids: [uuid] } }],
    ['updateWebhook', { params: { id: uuid }, json: { status: null, url: 'https://example.com' } }],
    ['verifyStamps', { json: { cids: [cid], limit: null } }],
  ])('takes what fits: %s', async (id, parts) => {
    expect(await faultOf(id, parts)).toBeUndefined();
  });

  it.each<[OperationId, Partial<RequestParts>, string]>([
    ['getStamp', { params: { id: 'nonsense' } }, '404 stamp not found'],
    ['getWebhook', { params: { id: 'nonsense' } }, '404 webhook not found'],
    ['redeliverDelivery', { params: { id: uuid, delivery_id: 'nonsense' } }, '404 delivery not found'],
    ['listCollections', { query: { colour: 'red' } }, "400 colour: Unknown query parameter 'colour'"],
    ['listCollections', { query: { 'limit[]': '1' } }, "400 limit[]: Unknown query parameter 'limit[]'"],
    ['listCollections', { query: { limit: '' } }, "400 limit: Empty value found for query parameter 'limit'"],
    ['listCollections', { query: { limit: '1.5' } }, '400 limit: must be integer'],
    ['listCollections', { query: { limit: '0' } }, '400 limit: must be >= 1'],
    ['listCollections', { query: { is_pinned: 'yes' } }, '400 is_pinned: must be boolean'],
    ['listEvents', { query: { types: 'a' } }, '400 types/0: must be equal to one of the allowed values: '],
    ['listEvents', { headers: { 'last-event-id': 'a' } }, '400 last-event-id: must match pattern "^[0-9]{0,16}$"'],
    ['createCollection', { json: [] }, '400 body: must be object'],
    ['createCollection', { json: {} }, "400 name: must have required property 'name'"],
    ['createCollection', { json: { name: 'a', x: 1 } }, '400 x: must NOT have additional properties'],
    ['createCollection', { json: { name: 'a\u0000' } }, '400 name: must not contain control characters'],
    ['createCollection', { json: { name: 'a', is_pinned: 'true' } }, '400 is_pinned: must be boolean'],
    ['verifyStamps', { json: { cids: [cid, '0x12'] } }, '400 cids/1: must match pattern "^0x[0-9a-fA-F]{64}$"'],
    ['verifyStamps', { query: { a: 'b' }, params: { id: 'nonsense' }, json: {} }, "400 a: Unknown query parameter 'a'"],
  ])('refuses what does not: %s %j', async (id, parts, fault) => {
    expect((await faultOf(id, parts))?.slice(0, fault.length)).toBe(fault);
  });

  it('fills in the defaults of a JSON body', async () => {
    const json = { name: 'Forest' };
    expect(await faultOf('createCollection', { json })).toBeUndefined();
    expect(json).toEqual({ name: 'Forest', is_pinned: false });
  });
});
