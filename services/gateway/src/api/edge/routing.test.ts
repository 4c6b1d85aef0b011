import { describe, expect, it } from '@jest/globals';
import { loadDocument } from './document.ts';
import { createRouter } from './routing.ts';

const route = createRouter(loadDocument());

describe('a path', () => {
  it.each([
    ['POST', '/api/v1/stamps', 'createStamp', {}],
    ['POST', '/api/v1/stamps/', 'createStamp', {}],
    ['POST', '/api/v1/stamps/verify', 'verifyStamps', {}],
    ['GET', '/api/v1/stamps/0a', 'getStamp', { id: '0a' }],
    ['HEAD', '/api/v1/users/me/', 'getCurrentUser', {}],
  ])('%s %s is %s', (method, path, id, params) => {
    expect(route(method, path)).toMatchObject({ operation: { id }, params });
  });
  it.each([
    '/',
    '/api/v1',
    '/api/v1/',
    '/api/v2/stamps',
    '/api/v1/stamps//',
    '/api/v1//stamps',
    '/api/v1/Stamps',
    '/stamps',
  ])('%s is not found', (path) => {
    expect(() => route('GET', path)).toThrow(expect.objectContaining({ status: 404 }));
  });
  it.each([
    ['GET', '/api/v1/stamps', 'POST'],
    ['GET', '/api/v1/stamps/verify', 'POST'],
    ['DELETE', '/api/v1/stamps/0a', 'GET, HEAD'],
    ['PUT', '/api/v1/collections', 'GET, HEAD, POST'],
    ['OPTIONS', '/api/v1/users/me', 'GET, HEAD'],
  ])('%s %s is a 405 that allows %s', (method, path, allow) => {
    expect(() => route(method, path)).toThrow(expect.objectContaining({ status: 405, headers: { Allow: allow } }));
  });
  it('with a broken escape is a 400', () => {
    expect(() => route('GET', '/api/v1/stamps/%zz')).toThrow(expect.objectContaining({ status: 400 }));
  });
});
