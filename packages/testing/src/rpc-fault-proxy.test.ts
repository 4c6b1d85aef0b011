import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type RpcFaultProxy, rpcFaultProxy, withoutLogs } from './rpc-fault-proxy.ts';

/** A node whose head is block 10, and which answers anything else with its method. */
const results: Readonly<Record<string, unknown>> = {
  eth_blockNumber: '0xa',
  eth_getLogs: [{ logIndex: '0x0' }],
  eth_getBlockReceipts: [{ status: '0x1', logs: [{ logIndex: '0x0' }] }],
  eth_getBlockByHash: { number: '0x9' },
  eth_getTransactionReceipt: { blockNumber: '0x9' },
};
let node: Server;
let proxy: RpcFaultProxy;
beforeAll(async () => {
  node = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const { id, method, params } = JSON.parse(text);
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? [method, ...params] }));
  });
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  proxy = await rpcFaultProxy({ upstream: `http://127.0.0.1:${(node.address() as AddressInfo).port}` });
});
afterAll(async () => {
  await proxy.stop();
  node.closeAllConnections();
  await new Promise((resolve) => node.close(resolve));
});
beforeEach(() => proxy.heal());

const post = (body: unknown) => fetch(proxy.url, { method: 'POST', body: JSON.stringify(body) });
const ask = async (method: string, ...params: unknown[]): Promise<unknown> => {
  const answer = await (await post({ jsonrpc: '2.0', id: 7, method, params })).json();
  const { result, error } = answer as { readonly result?: unknown; readonly error?: unknown };
  return error ?? result;
};

describe('a proxy of faults', () => {
  it('passes on what it has no fault for, alone or in a batch', async () => {
    expect(await ask('eth_call', 1, 'latest')).toEqual(['eth_call', 1, 'latest']);
    const batch = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'm', params: [id] }));
    expect(await (await post(batch)).json()).toEqual([
      { jsonrpc: '2.0', id: 1, result: ['m', 1] },
      { jsonrpc: '2.0', id: 2, result: ['m', 2] },
    ]);
  });
  it('treats a method as configured, as often as configured, and the others by a fault of their own', async () => {
    proxy.behave('a', { kind: 'error', code: 1, message: 'no', data: '0x' }, 2);
    proxy.behave('*', { kind: 'result', result: 'any' });
    const refused = { code: 1, message: 'no', data: '0x' };
    expect([await ask('a'), await ask('a'), await ask('a'), await ask('b')]).toEqual([refused, refused, 'any', 'any']);
  });
  it('leaves logs out, of receipts as well', async () => {
    proxy.behave('*', withoutLogs);
    expect(await ask('eth_getLogs', {})).toEqual([]);
    expect(await ask('eth_getBlockReceipts', '0xab')).toEqual([{ status: '0x1', logs: [] }]);
  });
  it('lags behind the node, and keeps back what it does not have', async () => {
    proxy.lag(2);
    expect(await ask('eth_blockNumber')).toBe('0x8');
    expect(await ask('eth_call', {}, 'latest')).toEqual(['eth_call', {}, '0x8']);
    expect(await ask('eth_call', {}, '0x9')).toMatchObject({ message: 'header not found' });
    expect(await ask('eth_getBlockByNumber', '0x9', false)).toBeNull();
    expect(await ask('eth_getBlockByNumber', '0x8', false)).toEqual(['eth_getBlockByNumber', '0x8', false]);
    for (const method of ['eth_getBlockByHash', 'eth_getBlockReceipts', 'eth_getTransactionReceipt'])
      expect(await ask(method, '0xab')).toBeNull();
    expect(await ask('eth_getLogs', { blockHash: '0xab' })).toMatchObject({ message: 'unknown block' });
    proxy.lag(1);
    expect(await ask('eth_getTransactionReceipt', '0xab')).toEqual({ blockNumber: '0x9' });
  });
  it('holds calls until they are released, and reports which were given up', async () => {
    const held = proxy.hold('slow');
    const answer = ask('slow');
    await held.arrived;
    held.release();
    expect(await answer).toEqual(['slow']);
    const again = proxy.hold('slow');
    const stop = new AbortController();
    const body = JSON.stringify({ id: 1, method: 'slow', params: [] });
    const given = fetch(proxy.url, { method: 'POST', body, signal: stop.signal }).catch(() => 'given up');
    await again.arrived;
    stop.abort();
    expect(await given).toBe('given up');
    await again.abandoned;
    again.release();
  });
});
