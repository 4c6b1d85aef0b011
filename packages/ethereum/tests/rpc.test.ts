import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createRpc, type Rpc, RpcAnswerError, RpcUnavailableError } from '../src/index.ts';
import { result, type StubBehaviour, type StubNode, startStubNode } from './stub-node.ts';

let first: StubNode;
let second: StubNode;
let rpc: Rpc;
const warnings: { fields: object; message: string }[] = [];
const ok: StubBehaviour = (request) => result(request, '0x7a69');
const error =
  (code: number, message: string): StubBehaviour =>
  (request) => ({ jsonrpc: '2.0', id: Array.isArray(request) ? null : request.id, error: { code, message } });

beforeEach(async () => {
  warnings.length = 0;
  first = await startStubNode(ok);
  second = await startStubNode((request) => result(request, 'second'));
  rpc = createRpc({
    urls: [first.url, second.url],
    timeoutMs: 2_000,
    maxResponseBytes: 10_000,
    // What is said of heads and of slow endpoints stands in fail-over.test.ts.
    hedgeShare: 0,
    headMaxAgeMs: Number.POSITIVE_INFINITY,
    logger: { warn: (fields, message) => warnings.push({ fields, message }) },
  });
});
afterEach(async () => {
  rpc.close();
  await Promise.all([first.stop(), second.stop()]);
});

const faults: Record<string, StubBehaviour> = {
  'answers 500': (_, response) => void response.writeHead(500).end('{}'),
  'answers 429': (_, response) => void response.writeHead(429).end('{}'),
  'answers broken JSON': (_, response) => void response.end('{"jsonrpc":"2.0","id":1,"resu'),
  'answers 403 with a page': (_, response) => void response.writeHead(403).end('<html>'),
  'redirects elsewhere': (_, response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
  'breaks off': (_, response) => void response.destroy(),
  'breaks off within the body': (_, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('{"jsonrpc"', () => response.destroy());
  },
  'never answers': () => undefined,
  'answers more than is taken': (request) => result(request, 'x'.repeat(20_000)),
  'answers another request': () => ({ jsonrpc: '2.0', id: 987_654, result: 'of another' }),
  'answers no object': () => 'gateway error',
  'answers without a result': (request) => ({ jsonrpc: '2.0', id: Array.isArray(request) ? 0 : request.id }),
  'refuses its customer': error(-32005, 'daily request count exceeded, request rate limited'),
};

describe('an RPC client', () => {
  it.each(Object.keys(faults))('asks the next endpoint when one %s', async (name) => {
    first.behave(faults[name] as StubBehaviour);
    expect(await rpc.call('eth_chainId', [])).toBe('second');
    expect(warnings).toHaveLength(1);
    // The endpoint that failed stands behind the other for a while.
    const asked = first.requests.length;
    expect(await rpc.call('eth_chainId', [])).toBe('second');
    expect(first.requests).toHaveLength(asked);
  });
  it('asks them in the configured order while they are well', async () => {
    expect(await rpc.call('eth_chainId', [])).toBe('0x7a69');
    expect(second.requests).toHaveLength(0);
  });
  it('says it is unavailable, to be retried, when none answers, and goes on when one is back', async () => {
    first.behave(faults['answers 500'] as StubBehaviour);
    second.behave(faults['breaks off'] as StubBehaviour);
    await expect(rpc.call('eth_chainId', [])).rejects.toMatchObject({ name: 'RpcUnavailableError', retryable: true });
    first.behave(ok);
    expect(await rpc.call('eth_chainId', [])).toBe('0x7a69');
  });
  it("hands on the node's own error, and does not ask another node for a better one", async () => {
    first.behave((request) => ({
      jsonrpc: '2.0',
      id: Array.isArray(request) ? 0 : request.id,
      error: { code: 3, message: 'execution reverted: Unauthorized()', data: '0x82b42900' },
    }));
    const refusal = await rpc.call('eth_call', []).catch((fault: unknown) => fault);
    expect(refusal).toBeInstanceOf(RpcAnswerError);
    expect(refusal).toMatchObject({ method: 'eth_call', code: 3, data: '0x82b42900', retryable: false });
    expect(second.requests).toHaveLength(0);
  });
  it.each([
    [-32603, 'Internal error', true],
    [-32000, 'header not found', true],
    [-32000, 'execution timeout', true],
    [-32602, 'invalid argument 0', false],
    [-32000, 'nonce too low', false],
    [3, 'execution reverted: timeout', false],
  ])('says whether a retry may help: %s %s: %s', async (code, message, retryable) => {
    for (const node of [first, second]) node.behave(error(code, message));
    await expect(rpc.call('eth_getLogs', [])).rejects.toMatchObject({ code, message, retryable });
  });
  it('matches the answers of a batch to its calls, whatever order they come in', async () => {
    first.behave((request) =>
      (request as { id: number; method: string }[])
        .map(({ id, method }) =>
          method === 'eth_bad'
            ? { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } }
            : { jsonrpc: '2.0', id, result: method },
        )
        .reverse(),
    );
    const outcomes = await rpc.batch(['eth_a', 'eth_bad', 'eth_b'].map((method) => ({ method, params: [] })));
    expect(outcomes).toMatchObject([
      { ok: true, result: 'eth_a' },
      { ok: false, error: { method: 'eth_bad', code: -32601 } },
      { ok: true, result: 'eth_b' },
    ]);
    expect(await rpc.batch([])).toEqual([]);
  });
  it('does not take a batch with an answer missing, or refused as a whole', async () => {
    second.behave(error(-32600, 'batch too large'));
    first.behave((request) => [(result(request, '0x1') as unknown[])[0]]);
    const calls = ['eth_a', 'eth_b'].map((method) => ({ method, params: [] }));
    await expect(rpc.batch(calls)).rejects.toBeInstanceOf(RpcUnavailableError);
    await expect(rpc.batch(calls)).rejects.toThrow(/no answer|batch too large/);
  });
  it("rejects with the caller's reason when its signal aborts, and leaves the endpoint in good standing", async () => {
    first.behave(() => undefined);
    const stop = new AbortController();
    const call = rpc.call('eth_chainId', [], { signal: stop.signal });
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(warnings).toHaveLength(0);
    await expect(rpc.call('eth_chainId', [], { signal: stop.signal })).rejects.toBe(reason);
  });
  it('abandons what is in flight when closed', async () => {
    first.behave(() => undefined);
    const call = rpc.call('eth_chainId', []);
    rpc.close();
    await expect(call).rejects.toThrow('closed');
  });
  it('asks for the chain id once, and again after a failure', async () => {
    const alone = createRpc({ urls: [first.url], timeoutMs: 2_000 });
    first.behave(faults['answers 500'] as StubBehaviour);
    await expect(alone.chainId()).rejects.toBeInstanceOf(RpcUnavailableError);
    first.behave(ok);
    expect(await alone.chainId()).toBe(31337);
    const asked = first.requests.length;
    expect(await alone.chainId()).toBe(31337);
    expect(first.requests).toHaveLength(asked);
    alone.close();
  });
  it("sends an endpoint's user information as a header, and logs it nowhere (I10)", async () => {
    const guarded = createRpc({
      urls: [`${first.url.replace('http://', 'http://user:s3cret@')}/v3/k3y`],
      timeoutMs: 2_000,
      logger: { warn: (fields, message) => warnings.push({ fields, message }) },
    });
    await guarded.call('eth_chainId', []);
    expect(first.requests).toMatchObject([{ authorization: `Basic ${Buffer.from('user:s3cret').toString('base64')}` }]);
    first.behave(faults['answers 500'] as StubBehaviour);
    const refusal = await guarded.call('eth_chainId', []).catch((fault: unknown) => fault);
    expect(JSON.stringify([warnings, String(refusal)])).not.toMatch(/s3cret|k3y/);
    guarded.close();
  });
  it('refuses to be made without an endpoint, or with one that is none, and does not repeat it (I10)', () => {
    expect(() => createRpc({ urls: [], timeoutMs: 1 })).toThrow(TypeError);
    expect(() => createRpc({ urls: ['ws://s3cret'], timeoutMs: 1 })).toThrow(/^(?!.*s3cret).*http or https/);
    expect(() => createRpc({ urls: ['s3cret'], timeoutMs: 1 })).toThrow(/^(?!.*s3cret)/);
  });
  it('takes many calls at once without a warning of the runtime', async () => {
    const seen: Error[] = [];
    const onWarning = (warning: Error): number => seen.push(warning);
    process.on('warning', onWarning);
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 40 }, () => rpc.call('eth_chainId', [], { signal })));
    process.off('warning', onWarning);
    expect(seen).toEqual([]);
  });
});
