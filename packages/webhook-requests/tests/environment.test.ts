import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { certificateFor, httpReceiver, httpsReceiver, type Receiver } from './support/receiver.ts';

const receivers: Receiver[] = [];
afterEach(() => Promise.all(receivers.splice(0).map((receiver) => receiver.stop())));

/** What came of a request by a process with these variables. */
async function sendWith(variables: Record<string, string>, url: string): Promise<unknown> {
  const script = join(import.meta.dirname, 'support/send-once.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, url], {
    env: { PATH: process.env.PATH ?? '', ...variables },
  });
  return JSON.parse(stdout);
}

describe('whatever the environment says', () => {
  it('a request goes by no proxy', async () => {
    const proxy = await httpReceiver((_request, response) => response.writeHead(200).end());
    const receiver = await httpReceiver((_request, response) => response.writeHead(204).end());
    receivers.push(proxy, receiver);
    const at = `http://127.0.0.1:${proxy.port}`;
    const variables = { HTTP_PROXY: at, http_proxy: at, HTTPS_PROXY: at, https_proxy: at, NODE_USE_ENV_PROXY: '1' };
    expect(await sendWith(variables, `http://127.0.0.1:${receiver.port}/`)).toMatchObject({ status: 204 });
    expect(proxy.connections()).toBe(0);
  });

  it('a certificate that we do not trust gets no request', async () => {
    let requests = 0;
    const receiver = await httpsReceiver(
      (_request, response) => {
        requests += 1;
        response.writeHead(204).end();
      },
      await certificateFor('hooks.example'),
    );
    receivers.push(receiver);
    const url = `https://hooks.example:${receiver.port}/`;
    expect(await sendWith({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, url)).toMatchObject({ fault: 'tls' });
    expect(requests).toBe(0);
  });
});
