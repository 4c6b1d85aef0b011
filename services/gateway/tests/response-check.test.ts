import { describe, expect, it } from '@jest/globals';
import { type Answered, createResponseCheck } from './response-check.ts';

const check = createResponseCheck();
const json = { 'Content-Type': 'application/json; charset=utf-8' };
const answered = (given: Partial<Answered> & { body?: unknown }): Answered => ({
  method: 'GET',
  url: 'http://x/api/v1/collections',
  status: 200,
  headers: new Headers(json),
  text: JSON.stringify(given.body ?? []),
  ...given,
});
const settings = {
  name: 'Ada',
  email: 'ada@example.com',
  persistent_id: '1',
  description: '',
  display_timezone: 'UTC',
  date_joined: '2026-11-01T00:00:00.000Z',
  last_address: '0x',
  last_name: 'Ada',
  last_is_verified: true,
  storage_type: 'local',
};
const me = 'http://x/api/v1/users/me/';

describe('the check of answers against the document', () => {
  it.each<[string, Partial<Answered> & { body?: unknown }]>([
    ['an answer that fits', {}],
    ['one with every key', { url: me, body: settings }],
    ['HEAD, without a body', { method: 'HEAD', text: '' }],
    ['an unknown path', { url: 'http://x/api/v1/nothing', status: 404, body: { error: 'not found' } }],
    ['a documented error', { status: 400, body: { error: 'a', details: 'b' } }],
  ])('passes %s', (_what, given) => {
    expect(() => check(answered(given))).not.toThrow();
  });

  it.each<[string, Partial<Answered> & { body?: unknown }, string]>([
    ['a status that is not there', { status: 418, body: { error: 'a' } }, 'lacks this status'],
    ['a body of another type', { body: {} }, 'must be array'],
    ['a key missing', { url: me, body: { ...settings, storage_type: undefined } }, 'storage_type'],
    ['a key too many', { url: me, body: { ...settings, key: 'secret' } }, 'additional properties'],
    ['a malformed date', { url: me, body: { ...settings, date_joined: 'today' } }, 'date-time'],
    ['an error without its shape', { status: 400, body: { message: 'a' } }, "required property 'error'"],
    ['another Content-Type', { headers: new Headers({ 'Content-Type': 'text/html' }) }, 'Content-Type'],
    ['a required header missing', { status: 503, body: { error: 'a' } }, 'retry-after'],
    ['an undocumented header', { headers: new Headers({ ...json, Location: '/' }) }, 'location'],
    ['success of no operation', { url: 'http://x/api/v1/nothing' }, 'no operation'],
  ])('refuses %s', (_what, given, text) => {
    expect(() => check(answered(given))).toThrow(text);
  });
});
