import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import express from 'express';
import { PermanentError, UnavailableError } from './errors.ts';
import { answerFault } from './internal-answers.ts';
import type { Logger } from './logging/logger.ts';

const withCode = (code: string): Error => Object.assign(new Error('secret words of a server'), { code });

/** The answer of an internal server whose query throws, and the levels of its log lines. */
async function answerOf(fault: unknown) {
  const levels: string[] = [];
  const logger = { error: () => levels.push('error'), warn: () => levels.push('warn') } as unknown as Logger;
  const app = express();
  app.post('/', express.json({ limit: 10 }), () => {
    throw fault;
  });
  app.use(answerFault(logger));
  const server = createServer(app).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const post = async (body: string) => {
      const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
        ...{ method: 'POST', body, headers: { 'Content-Type': 'application/json' } },
      });
      return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() };
    };
    return { levels, thrown: await post('{}'), invalid: await post('{'), long: await post('"0123456789"') };
  } finally {
    server.close();
  }
}

it.each([
  ['a lost connection', withCode('08006'), 503],
  ['a neighbour that is unavailable', new UnavailableError('the chain is behind'), 503],
  ['a lost race', withCode('40001'), 503],
  ['a statement timeout', withCode('57014'), 503],
  ['a value that Postgres cannot store', withCode('22021'), 500],
  ['an error that says so', new PermanentError('no'), 500],
  ['a TypeError', new TypeError('x is not a function'), 500],
  ['an undefined column', withCode('42703'), 500],
  ['any error', new Error('out of luck'), 500],
])('an internal server answers for %s, so that no caller waits for a defect to end (I12)', async (_, fault, status) => {
  const { thrown, levels } = await answerOf(fault);
  expect(thrown).toEqual(
    status === 500
      ? { status, retryAfter: null, body: { error: 'internal fault' } }
      : {
          ...{ status, retryAfter: '1' },
          body: {
            error: 'not available now',
            ...(fault instanceof UnavailableError && { details: 'the chain is behind' }),
          },
        },
  );
  expect(levels).toEqual([status === 500 ? 'error' : 'warn']);
});

it('an internal server answers 400 and 413 to bodies that cannot be read, and logs nothing', async () => {
  const { invalid, long, levels } = await answerOf(new Error('not reached'));
  expect([invalid.status, long.status]).toEqual([400, 413]);
  expect(levels).toEqual(['error']);
});
