import { AssertionError } from 'node:assert';
import { describe, expect, it } from '@jest/globals';
import { PermanentError, UnavailableError } from './errors.ts';
import { faultClassOf } from './fault-class.ts';

const withCode = (code: string, message = 'x'): Error => Object.assign(new Error(message), { code });

describe('the class of an error', () => {
  it.each([
    ['an error that says so', new PermanentError('no'), 'permanent'],
    ['a NUL in a text (22021)', withCode('22021'), 'permanent'],
    ['a violated check (23514)', withCode('23514'), 'permanent'],
    ['a program limit (54000)', withCode('54000'), 'permanent'],
    ['a TypeError', new TypeError('x is not a function'), 'programming'],
    ['a RangeError', new RangeError('too long'), 'programming'],
    ['an AssertionError', new AssertionError({ message: 'no' }), 'programming'],
    ['an error caused by a permanent one', new Error('wrapped', { cause: withCode('22P02') }), 'permanent'],
    ['an unavailable server', new UnavailableError('no'), 'unavailable'],
    ['a lost connection (08006)', withCode('08006'), 'unavailable'],
    ['a database that shuts down (57P01)', withCode('57P01'), 'unavailable'],
    ['a primary that became read-only (25006)', withCode('25006'), 'unavailable'],
    ['a session that was ended idle in a transaction (25P03)', withCode('25P03'), 'unavailable'],
    ['an I/O error (58030)', withCode('58030'), 'unavailable'],
    ['a refused connection', withCode('ECONNREFUSED'), 'unavailable'],
    ['a broken pipe, which has five letters too', withCode('EPIPE'), 'unavailable'],
    ['a resolver that does not answer', withCode('EAI_AGAIN', 'getaddrinfo EAI_AGAIN postgres'), 'unavailable'],
    ['a login that is refused (28P01)', withCode('28P01'), 'unavailable'],
    ['a database that is not there (3D000)', withCode('3D000'), 'unavailable'],
    ['a session that was closed meanwhile', new Error('Client was closed and is not queryable'), 'unavailable'],
    ['a pool that ends', new Error('Cannot use a pool after calling end on the pool'), 'unavailable'],
    ['a connection that ended', new Error('Connection terminated unexpectedly'), 'unavailable'],
    ['a failed fetch', new TypeError('fetch failed', { cause: withCode('ECONNRESET') }), 'unavailable'],
    ['a unique violation (23505)', withCode('23505'), 'contended'],
    ['a serialization failure (40001)', withCode('40001'), 'contended'],
    ['a full disk (53100)', withCode('53100'), 'contended'],
    ['a lock that is not available (55P03)', withCode('55P03'), 'contended'],
    ['a statement timeout (57014)', withCode('57014'), 'timeout'],
    ['a query without a response', new Error('Query read timeout'), 'timeout'],
    ['an undefined column (42703)', withCode('42703'), 'unknown'],
    ['any error', new Error('out of luck'), 'unknown'],
    ['what is no error', 'text', 'unknown'],
  ] as const)('of %s', (_, error, expected) => {
    expect(faultClassOf(error)).toBe(expected);
  });
});
