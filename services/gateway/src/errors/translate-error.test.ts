import { describe, expect, it } from '@jest/globals';
import { HttpError } from './http-error.ts';
import { translateError } from './translate-error.ts';

const coded = (code: string): Error => Object.assign(new Error('m'), { code });

describe('an error', () => {
  it.each([
    ['says it can be retried', Object.assign(new Error('m'), { retryable: true })],
    ['is a refused connection', coded('ECONNREFUSED')],
    ['is Postgres stopping', coded('57P01')],
    ['is Postgres without connections', coded('53300')],
    ['is a broken pool connection', new Error('Connection terminated unexpectedly')],
    ['is Postgres gone without a word', new Error('Query read timeout')],
    ['has such a cause', new Error('m', { cause: coded('ECONNRESET') })],
  ])('that %s is a 503 with Retry-After, never a 500', (_what, error) => {
    expect(translateError(error)).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
  });
  it.each([
    ['a bug', new TypeError('undefined is not a function')],
    ['a broken statement', coded('42601')],
    ['a permanent one', Object.assign(new Error('m'), { retryable: false })],
    ['no error at all', undefined],
  ])('that is %s is a 500 without its text', (_what, error) => {
    expect(translateError(error)).toMatchObject({ status: 500, message: 'internal error', details: undefined });
  });
  it('that is an answer already stays it', () => {
    const error = new HttpError(404, 'not found');
    expect(translateError(error)).toBe(error);
  });
});
