import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  broadcastTransaction,
  estimateFees,
  getBalance,
  getBlockByHash,
  getBlockByNumber,
  getBlockReceipts,
  getTransactionCount,
  getTransactionReceipt,
} from '../src/index.ts';
import { type FaultyNodes, sender, startFaultyNodes } from './faulty-nodes.ts';

let nodes: FaultyNodes;
let first: FaultyNodes['first'];
let second: FaultyNodes['second'];
let before: { first: number; second: number };
/** How many calls of a method each has got in this test. */
const asked = (method: string) => ({
  first: first.calls.slice(before.first).filter((call) => call.method === method).length,
  second: second.calls.slice(before.second).filter((call) => call.method === method).length,
});
beforeAll(async () => {
  nodes = await startFaultyNodes();
  ({ first, second } = nodes);
});
afterAll(() => nodes.stop());
beforeEach(() => {
  nodes.heal();
  before = { first: first.calls.length, second: second.calls.length };
});

describe('hedged reads', () => {
  it('ask a second endpoint when the first is slow, take the first good answer, and call off the other', async () => {
    const rpc = nodes.client({ hedgeShare: 1, hedgeAfterMs: 1 });
    const held = first.hold('eth_getBalance');
    expect(await getBalance(rpc, sender)).toBe(await getBalance(nodes.direct, sender));
    await held.abandoned;
    expect(nodes.events).toEqual([{ kind: 'hedged', host: new URL(second.url).host, won: true }]);
    held.release();
  });
  it('do not take a second answer that is not good for a good first one', async () => {
    const rpc = nodes.client({ hedgeShare: 1, hedgeAfterMs: 1 });
    const held = first.hold('eth_getBalance');
    second.behave('eth_getBalance', { kind: 'error', code: -32603, message: 'Internal error' });
    const reading = getBalance(rpc, sender);
    await eventually(() => expect(asked('eth_getBalance').second).toBe(1));
    held.release();
    expect(await reading).toBe(await getBalance(nodes.direct, sender));
  });
  it('stop asking an endpoint first that loses each time', async () => {
    const rpc = nodes.client({ hedgeShare: 1, hedgeAfterMs: 1 });
    const held = first.hold('eth_getBalance');
    for (let i = 0; i < 3; i++) await getBalance(rpc, sender);
    await getBalance(rpc, sender);
    expect(asked('eth_getBalance').first).toBe(3);
    held.release();
  });
  it('are never broadcasts', async () => {
    const rpc = nodes.client({ hedgeShare: 1, hedgeAfterMs: 1, urls: [first.url, second.url] });
    await broadcastTransaction(rpc, await nodes.sign());
    expect(nodes.events).toEqual([]);
  });
});

describe('reads of the chain', () => {
  it('are not put to an endpoint that lags, while another has what was seen', async () => {
    await nodes.anvil.mine(10);
    const rpc = nodes.client({ maxLagBlocks: 3 });
    first.lag(5);
    await rpc.inspect();
    const [lagging, well] = rpc.endpoints();
    expect(lagging).toMatchObject({ isWell: false, head: (well?.head as number) - 5 });
    const before = await getTransactionCount(nodes.direct, sender);
    const transaction = await nodes.sign();
    await broadcastTransaction(nodes.direct, transaction);
    await nodes.included(transaction);
    expect(await getTransactionCount(rpc, sender, 'latest')).toBe(before + 1);
    expect(asked('eth_getTransactionCount')).toEqual({ first: 0, second: 1 });
  });
  it('are put to an endpoint that is a little behind', async () => {
    await nodes.anvil.mine(10);
    const rpc = nodes.client({ maxLagBlocks: 3 });
    first.lag(3);
    await rpc.inspect();
    await getTransactionCount(rpc, sender, 'latest');
    expect(asked('eth_getTransactionCount')).toEqual({ first: 1, second: 0 });
  });
  it('are refused, to be retried, when only one that lags is left; it still answers for what it has', async () => {
    await nodes.anvil.mine(10);
    const rpc = nodes.client({ maxLagBlocks: 3, rounds: 1 });
    first.lag(5);
    await rpc.inspect();
    second.behave('*', { kind: 'reset' });
    await expect(getTransactionCount(rpc, sender, 'latest')).rejects.toMatchObject({ retryable: true });
    expect(asked('eth_getTransactionCount').first).toBe(0);
    expect(await getBlockByNumber(rpc, 2)).toMatchObject({ number: 2 });
  });
  it('find out by the answer that an endpoint has begun to lag', async () => {
    await nodes.anvil.mine(10);
    const rpc = nodes.client({ maxLagBlocks: 3 });
    await rpc.inspect();
    first.lag(5);
    const head = await nodes.anvil.request<string>('eth_blockNumber');
    expect(await rpc.call('eth_blockNumber', [])).toBe(head);
    expect(await getBlockByNumber(rpc, 'latest')).toMatchObject({ number: Number(head) });
  });
  it('learn of heads side by side with the reading, when what they know is old', async () => {
    await nodes.anvil.mine(10);
    const rpc = nodes.client({ maxLagBlocks: 3, headMaxAgeMs: 0 });
    await getTransactionCount(rpc, sender);
    first.lag(5);
    await eventually(async () => {
      await getTransactionCount(rpc, sender);
      expect(rpc.endpoints()[0]).toMatchObject({ isWell: false });
    });
    const asking = asked('eth_getTransactionCount').first;
    await getTransactionCount(rpc, sender);
    expect(asked('eth_getTransactionCount').first).toBe(asking);
  });
  it('ask another for a block that one does not have yet', async () => {
    await nodes.anvil.mine(10);
    const rpc = nodes.client({ maxLagBlocks: 100 });
    await rpc.inspect();
    first.lag(5);
    const head = Number(await nodes.anvil.request<string>('eth_blockNumber'));
    const block = await getBlockByNumber(rpc, head);
    expect(block).toMatchObject({ number: head });
    const hash = block?.hash as `0x${string}`;
    expect(await getBlockByHash(rpc, hash)).toMatchObject({ number: head });
    expect(await getBlockReceipts(rpc, hash)).toEqual([]);
  });
  it('answer null for what no endpoint has, without asking again', async () => {
    const rpc = nodes.client();
    const hash = `0x${'11'.repeat(32)}` as const;
    expect(await getBlockByHash(rpc, hash)).toBeNull();
    expect(asked('eth_getBlockByHash')).toEqual({ first: 1, second: 1 });
    expect(await getTransactionReceipt(rpc, hash)).toBeNull();
    expect(asked('eth_getTransactionReceipt')).toEqual({ first: 1, second: 0 });
  });
  it('ask another when one lacks the state, or has a fault within', async () => {
    const rpc = nodes.client();
    for (const message of ['missing trie node 12', 'Internal error']) {
      first.behave('eth_getBalance', { kind: 'error', code: -32000, message }, 1);
      expect(await getBalance(rpc, sender)).toBe(await getBalance(nodes.direct, sender));
    }
    expect(asked('eth_getBalance')).toEqual({ first: 2, second: 2 });
  });
  it('heed a Retry-After', async () => {
    const rpc = nodes.client();
    first.behave('eth_getBalance', { kind: 'status', status: 429, retryAfter: '30' }, 1);
    for (let i = 0; i < 3; i++) await getBalance(rpc, sender);
    expect(asked('eth_getBalance')).toEqual({ first: 1, second: 3 });
    expect(nodes.events).toEqual([{ kind: 'fault', host: new URL(first.url).host, fault: 'rate-limited' }]);
  });
  it('are gone on with until the caller gives up', async () => {
    for (const proxy of [first, second]) proxy.behave('*', { kind: 'reset' });
    const stop = new AbortController();
    const rpc = nodes.client({ rounds: 1_000, totalMs: 1_000_000 });
    const reading = getBalance(rpc, sender, 'latest', { signal: stop.signal });
    const outcome = reading.catch((reason: unknown) => reason);
    await eventually(() => expect(asked('eth_getBalance').first).toBeGreaterThanOrEqual(3));
    const reason = new Error('enough');
    stop.abort(reason);
    expect(await outcome).toBe(reason);
  });
});

describe('an endpoint of another chain', () => {
  it('gets no requests, and that is logged once', async () => {
    first.behave('eth_chainId', { kind: 'result', result: '0x1' });
    const rpc = nodes.client({ chainId: nodes.anvil.chainId });
    await broadcastTransaction(rpc, await nodes.sign());
    for (let i = 0; i < 3; i++) await getBalance(rpc, sender);
    expect(await rpc.chainId()).toBe(nodes.anvil.chainId);
    expect(asked('eth_getBalance')).toEqual({ first: 0, second: 3 });
    expect(asked('eth_sendRawTransaction')).toEqual({ first: 0, second: 1 });
    const { host } = new URL(first.url);
    expect(nodes.events).toEqual([{ kind: 'out', host, reason: 'wrong-chain' }]);
    expect(nodes.warnings).toEqual([{ host, chainId: 1, expected: nodes.anvil.chainId }]);
    expect(rpc.endpoints()).toMatchObject([
      { host, chain: 'wrong', isWell: false },
      { chain: 'right', isWell: true },
    ]);
  });
  it('makes nobody lag by its own head', async () => {
    first.behave('eth_chainId', { kind: 'result', result: '0x1' });
    first.behave('eth_blockNumber', { kind: 'result', result: '0xffffff' });
    const rpc = nodes.client({ chainId: nodes.anvil.chainId, headMaxAgeMs: 0 });
    await rpc.inspect();
    expect(await getTransactionCount(rpc, sender)).toBe(await getTransactionCount(nodes.direct, sender));
    expect(rpc.endpoints()[1]).toMatchObject({ isWell: true });
    expect(asked('eth_blockNumber').first).toBe(0);
  });
  it('is the only one: calls are refused with its chain', async () => {
    first.behave('eth_chainId', { kind: 'result', result: '0x1' });
    const rpc = nodes.client({ urls: [first.url], chainId: nodes.anvil.chainId, rounds: 1 });
    await expect(getBalance(rpc, sender)).rejects.toMatchObject({ fault: 'wrong-chain' });
    await expect(getBalance(rpc, sender)).rejects.toMatchObject({ fault: 'wrong-chain' });
    expect(await rpc.chainId()).toBe(1);
    expect(asked('eth_getBalance').first).toBe(0);
  });
  it('may have taken the place of the right one, after a fault', async () => {
    const rpc = nodes.client({ chainId: nodes.anvil.chainId });
    await getBalance(rpc, sender);
    first.behave('eth_getBalance', { kind: 'reset' }, 1);
    await getBalance(rpc, sender);
    first.behave('eth_chainId', { kind: 'result', result: '0x1' });
    second.behave('eth_getBalance', { kind: 'error', code: -32603, message: 'Internal error' });
    await expect(getBalance(rpc, sender)).rejects.toMatchObject({ retryable: true });
    expect(asked('eth_getBalance').first).toBe(2);
  });
});

describe('a broadcast', () => {
  const method = 'eth_sendRawTransaction';
  const refuse = (message: string) => ({ kind: 'error', code: -32000, message }) as const;

  it('goes to all endpoints, and is accepted when one has taken it, whatever the others say', async () => {
    const rpc = nodes.client();
    first.behave(method, refuse('insufficient funds for transfer'));
    const transaction = await nodes.sign();
    expect(await broadcastTransaction(rpc, transaction)).toEqual({ kind: 'accepted' });
    expect(asked(method)).toEqual({ first: 1, second: 1 });
    await nodes.included(transaction);
  });
  it('is accepted at once, and goes on to those that are slow', async () => {
    const held = first.hold(method);
    const transaction = await nodes.sign();
    expect(await broadcastTransaction(nodes.client(), transaction)).toEqual({ kind: 'accepted' });
    await held.arrived;
    expect(await Promise.race([held.abandoned.then(() => 'called off'), Promise.resolve('going on')])).toBe('going on');
    held.release();
  });
  it('is as good as accepted when one knows it already', async () => {
    first.behave(method, { kind: 'truncate' });
    second.behave(method, refuse('already known'));
    expect(await broadcastTransaction(nodes.client(), await nodes.sign())).toMatchObject({ kind: 'accepted-already' });
  });
  it.each([
    ['unknown-outcome', { kind: 'reset' }, refuse('insufficient funds')],
    ['nonce-used', refuse('nonce too low'), { kind: 'reset' }],
    ['nonce-used', refuse('words of no known node'), refuse('nonce too low')],
    ['nonce-used', refuse('nonce too high'), refuse('nonce too low')],
    ['funds-missing', { kind: 'status', status: 429, retryAfter: '0' }, refuse('insufficient funds')],
    ['fee-too-low', refuse('fee too low'), refuse('node is syncing')],
    ['rate-limited', refuse('node is syncing'), { kind: 'status', status: 429, retryAfter: '0' }],
  ] as const)('has the outcome %s when no endpoint has taken it for sure (I3)', async (kind, one, other) => {
    const rpc = nodes.client();
    first.behave(method, one);
    second.behave(method, other);
    expect(await broadcastTransaction(rpc, await nodes.sign())).toMatchObject({ kind });
  });
  it('is decided by those that do not lag: a frozen one accepts what is in a block already (I11)', async () => {
    const used = await nodes.sign();
    await broadcastTransaction(nodes.direct, used);
    await nodes.included(used);
    await nodes.anvil.mine(20);
    second.lag(15);
    second.behave(method, { kind: 'result', result: used.hash });
    const rpc = nodes.client({ headMaxAgeMs: 0 });
    await rpc.inspect();
    expect(await broadcastTransaction(rpc, used)).toMatchObject({ kind: 'nonce-used' });
    expect(asked(method).second).toBe(1);
  });
  it('is accepted by one that lags where the others do not answer', async () => {
    await nodes.anvil.mine(20);
    second.lag(15);
    first.behave(method, { kind: 'status', status: 401 });
    const rpc = nodes.client({ headMaxAgeMs: 0 });
    await rpc.inspect();
    expect(await broadcastTransaction(rpc, await nodes.sign())).toEqual({ kind: 'accepted' });
  });
  it('goes to those that failed lately when the others have not looked at it', async () => {
    const rpc = nodes.client();
    first.behave('eth_getBalance', { kind: 'reset' }, 1);
    await getBalance(rpc, sender);
    second.behave(method, { kind: 'status', status: 401 });
    expect(await broadcastTransaction(rpc, await nodes.sign())).toEqual({ kind: 'accepted' });
    expect(asked(method)).toEqual({ first: 1, second: 1 });
  });
  it('is no part of a batch', async () => {
    const rpc = nodes.client();
    await expect(rpc.batch([{ method, params: ['0x'] }])).rejects.toBeInstanceOf(TypeError);
  });
});

describe('a batch', () => {
  it('fails over as a whole', async () => {
    const rpc = nodes.client();
    first.behave('eth_feeHistory', { kind: 'truncate' });
    expect(await estimateFees(rpc)).toMatchObject({ kind: 'eip1559' });
    expect(asked('eth_gasPrice')).toEqual({ first: 1, second: 1 });
  });
});

describe('a call that may have an effect', () => {
  it('is not made again elsewhere when its answer was lost', async () => {
    const rpc = nodes.client();
    first.behave('evm_snapshot', { kind: 'truncate' });
    await expect(rpc.call('evm_snapshot', [])).rejects.toMatchObject({ fault: 'no-answer' });
    expect(asked('evm_snapshot')).toEqual({ first: 1, second: 0 });
  });
});
