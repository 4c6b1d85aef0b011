import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { certificateFor, httpReceiver, httpsReceiver, type Receiver } from '../support/tls-receiver.ts';

const receivers: Receiver[] = [];
afterEach(() => Promise.all(receivers.splice(0).map((receiver) => receiver.stop())));

/** Outcomes of requests by a process with these variables, and its stderr output. */
async function sendWith(variables: Record<string, string>, url: string, times = 1) {
  const script = join(import.meta.dirname, '../support/send-times.ts');
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, url, String(times)], {
    env: { PATH: process.env.PATH ?? '', ...variables },
  });
  return { outcome: JSON.parse(stdout) as object, stderr };
}

describe('whatever the environment says', () => {
  it('a request goes by no proxy', async () => {
    const proxy = await httpReceiver((_request, response) => response.writeHead(200).end());
    const receiver = await httpReceiver((_request, response) => response.writeHead(204).end());
    receivers.push(proxy, receiver);
    const at = `http://127.0.0.1:${proxy.port}`;
    const variables = { HTTP_PROXY: at, http_proxy: at, HTTPS_PROXY: at, https_proxy: at, NODE_USE_ENV_PROXY: '1' };
    expect(await sendWith(variables, `http://127.0.0.1:${receiver.port}/`)).toMatchObject({ outcome: { status: 204 } });
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
    expect(await sendWith({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, url)).toMatchObject({ outcome: { fault: 'tls' } });
    expect(requests).toBe(0);
  });
});

describe('a kept connection', () => {
  it('carries any number of requests and gathers nothing by them', async () => {
    const certificate = await certificateFor('hooks.example');
    const receiver = await httpsReceiver((_request, response) => response.writeHead(204).end(), certificate);
    receivers.push(receiver);
    const url = `https://hooks.example:${receiver.port}/`;
    expect(await sendWith({ CA: certificate.cert }, url, 30)).toMatchObject({ outcome: { status: 204 }, stderr: '' });
    expect(receiver.connections()).toBe(1);
  });
});
