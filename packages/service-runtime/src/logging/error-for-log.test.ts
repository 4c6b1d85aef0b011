import { describe, expect, it } from '@jest/globals';
import { PermanentError } from '../errors.ts';
import { errorForLog, reasonOf } from './error-for-log.ts';
import { keepSecret } from './known-secrets.ts';

const refusedConnection = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });

describe('an error in a log line', () => {
  it('has name, message, code and causes', () => {
    const error = new Error('outer', { cause: new TypeError('inner', { cause: refusedConnection }) });
    expect(errorForLog(error)).toEqual({
      name: 'Error',
      message: 'outer',
      code: 'ECONNREFUSED',
      causes: ['TypeError: inner', 'Error: connect ECONNREFUSED 127.0.0.1:5432'],
    });
  });

  it.each([
    ['a refused connection', refusedConnection],
    ['a failed fetch', new TypeError('fetch failed', { cause: refusedConnection })],
    ['a query without a response', new Error('Query read timeout')],
    ['a refused request', new PermanentError('no')],
    ['a lost race', Object.assign(new Error('deadlock detected'), { code: '40P01' })],
    ['a client that went away', Object.assign(new Error('aborted'), { code: 'ERR_STREAM_PREMATURE_CLOSE' })],
    ['what was given up', new DOMException('This operation was aborted', 'AbortError')],
    ['what took too long', new DOMException('The operation was aborted due to timeout', 'TimeoutError')],
  ])('has no stack for what is normal: %s', (_, error) => {
    expect(errorForLog(error)).not.toHaveProperty('stack');
    expect(errorForLog(new Error('wrapped', { cause: error }))).not.toHaveProperty('stack');
  });

  it('has the frames of where it began for what nobody foresaw', () => {
    function fails(): never {
      throw new TypeError('x is not\n    at all a function');
    }
    try {
      fails();
    } catch (cause) {
      const { message, stack } = errorForLog(new Error('wrapped', { cause }));
      expect(message).toBe('wrapped');
      expect(stack).toMatch(/^at .*fails/);
      expect(stack).not.toContain('a function');
    }
  });

  it('leaves out what a parser may have quoted, also of causes and in stacks (I10)', () => {
    const error = new Error('bad: hush', { cause: new SyntaxError('Unexpected token: hush') });
    const shown = errorForLog(error, { quotesInput: true });
    expect(shown).toMatchObject({ name: 'Error', causes: ['SyntaxError'], stack: expect.stringMatching(/^at /) });
    expect(JSON.stringify(shown)).not.toContain('hush');
    expect(errorForLog(refusedConnection, { quotesInput: true }).message).toBe(refusedConnection.message);
  });

  it('is bounded, and may be anything that was thrown', () => {
    const error = new Error('x'.repeat(1e6), { cause: new Error('y'.repeat(1e6)) });
    error.stack = `Error\n${'    at z\n'.repeat(1e5)}`;
    expect(JSON.stringify(errorForLog(error)).length).toBeLessThan(10_000);
    expect(errorForLog('a text')).toEqual({ name: 'Error', message: 'a text' });
    expect(errorForLog(undefined)).toEqual({ name: 'Error', message: 'undefined' });
  });

  it('has no part of a secret that begins before the bound and ends behind it (I10)', () => {
    const secret = 'a secret of forty characters, or of more';
    keepSecret([secret]);
    const long = (text: string): string => `${'x'.repeat(980)} ${text}`;
    for (const text of [secret, `ind_${'a1B2'.repeat(9)}`]) {
      const { message, causes } = errorForLog(new Error(long(text), { cause: new Error(text.padStart(1_010)) }));
      for (const one of [message, ...(causes ?? []), errorForLog(long(text)).message])
        expect(one).not.toContain(text.slice(0, 10));
    }
  });

  it('has its reason in one line, also where Node keeps it in a cause or a group', () => {
    expect(reasonOf(new TypeError('fetch failed', { cause: refusedConnection }))).toBe(refusedConnection.message);
    expect(reasonOf(new AggregateError([new Error('::1 refused'), new Error('127.0.0.1 refused')]))).toBe(
      '::1 refused; 127.0.0.1 refused',
    );
    expect(reasonOf(new Error('two faults:\n  A\n  B'))).toBe('two faults: A B');
  });
});
