import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BlocksFinalized } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import { createRegistry } from './registry.ts';

describe('a registry', () => {
  it.each([
    ['another process has just set the rule of a new subject', "A rule named 'COMPATIBILITY' already exists.", true],
    [
      'the rule of a subject refuses the schema',
      'Incompatible artifact: x [JSON], num of incompatible diffs: 1',
      false,
    ],
  ])('that answers 409 since %s', async (_why, message, retryable) => {
    const server = createServer((request, response) => {
      request.resume();
      const status = request.method === 'GET' ? 404 : request.method === 'PUT' || !retryable ? 409 : 200;
      const body = status === 409 ? { error_code: 409, message } : { id: 1 };
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const refusal = await createRegistry({ url, clientId: 'test' })
      .register(BlocksFinalized)
      .catch((error: unknown) => error);
    expect(refusal).toMatchObject({ name: retryable ? 'BrokerUnavailableError' : 'MessageInvalidError' });
    server.closeAllConnections();
    server.close();
  });
});
