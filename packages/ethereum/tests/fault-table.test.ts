import { type ProxyFault, rpcFaultProxy } from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  broadcastTransaction,
  ethCall,
  getBalance,
  getTransactionReceipt,
  meaningOf,
  type RpcClient,
  type RpcMeaningKind,
} from '../src/index.ts';
import { type FaultyNodes, sender, startFaultyNodes } from './faulty-nodes.ts';

const method = 'eth_sendRawTransaction';
let nodes: FaultyNodes;
let rpc: RpcClient;
beforeAll(async () => {
  nodes = await startFaultyNodes();
});
afterAll(() => nodes.stop());
beforeEach(() => {
  nodes.heal();
  rpc = nodes.client({ urls: [nodes.first.url], rounds: 1 });
});

const taken: readonly (readonly [string, ProxyFault])[] = [
  ['answers half', { kind: 'truncate' }],
  ['breaks off within the answer', { kind: 'break-off' }],
  ['answers another call', { kind: 'wrong-id' }],
  ['is timed out by its proxy (504)', { kind: 'status', status: 504, body: '<html>', passedOn: true }],
  ['is cut off by its proxy (502)', { kind: 'status', status: 502, passedOn: true }],
  ["names another transaction's hash", { kind: 'change', change: () => `0x${'11'.repeat(32)}` }],
];

describe('a broadcast, when the node', () => {
  it.each(taken)('has taken it and %s: has an unknown outcome, and is found by its hash (I3)', async (_, fault) => {
    nodes.first.behave(method, fault, 1);
    const transaction = await nodes.sign();
    expect(await broadcastTransaction(rpc, transaction)).toMatchObject({ kind: 'unknown-outcome' });
    await nodes.included(transaction);
    expect(await broadcastTransaction(nodes.direct, transaction)).toMatchObject({ kind: 'nonce-used' });
  });
  it('has taken it and never answers: has an unknown outcome after its time', async () => {
    const impatient = nodes.client({ urls: [nodes.first.url], timeoutMs: 1_000 });
    nodes.first.behave(method, { kind: 'swallow' });
    const transaction = await nodes.sign();
    expect(await broadcastTransaction(impatient, transaction)).toMatchObject({ kind: 'unknown-outcome' });
    await nodes.included(transaction);
    expect(await broadcastTransaction(nodes.direct, transaction)).toMatchObject({ kind: 'nonce-used' });
  });

  const untold: readonly (readonly [string, RpcMeaningKind, ProxyFault])[] = [
    ['resets the connection', 'unknown-outcome', { kind: 'reset' }],
    ['answers with a page', 'unknown-outcome', { kind: 'page', body: '<html>welcome</html>' }],
    ['answers 503', 'unknown-outcome', { kind: 'status', status: 503 }],
    ['says what nobody knows', 'unknown-outcome', { kind: 'error', code: -32000, message: 'who knows' }],
    ['says the time is up', 'unknown-outcome', { kind: 'error', code: -32002, message: 'request timed out' }],
    ['refuses its customer (401)', 'node-fault', { kind: 'status', status: 401, body: '{"message":"no key"}' }],
    ['is starting', 'node-fault', { kind: 'error', code: -32000, message: 'node is syncing' }],
    ['knows it', 'accepted-already', { kind: 'error', code: -32000, message: 'already known' }],
    ['has its nonce in a block', 'nonce-used', { kind: 'error', code: -32000, message: 'nonce too low' }],
    ['lacks a nonce before it', 'nonce-gap', { kind: 'error', code: -32000, message: 'nonce too high' }],
    [
      'holds another one of its nonce',
      'underpriced-replacement',
      { kind: 'error', code: -32000, message: 'replacement transaction underpriced' },
    ],
    ['finds no money', 'funds-missing', { kind: 'error', code: -32000, message: 'insufficient funds for transfer' }],
    [
      'finds it cheap',
      'fee-too-low',
      { kind: 'error', code: -32000, message: 'max fee per gas less than block base fee' },
    ],
    ['finds it too large', 'permanent', { kind: 'error', code: -32000, message: 'exceeds block gas limit' }],
    ['finds its gas too little', 'permanent', { kind: 'error', code: -32000, message: 'intrinsic gas too low' }],
  ];
  it.each(untold)('%s: %s', async (_, kind, fault) => {
    nodes.first.behave(method, fault);
    const transaction = await nodes.sign();
    expect(await broadcastTransaction(rpc, transaction)).toMatchObject({ kind });
    expect(await getTransactionReceipt(nodes.direct, transaction.hash)).toBeNull();
  });
  it('is not there: was not sent', async () => {
    const gone = await rpcFaultProxy({ upstream: nodes.anvil.rpcUrl });
    await gone.stop();
    const nobody = nodes.client({ urls: [gone.url] });
    expect(await broadcastTransaction(nobody, await nodes.sign())).toMatchObject({ kind: 'node-fault' });
  });
  it.each([
    ['2', 2_000],
    ['3600', 3_600_000],
    [undefined, undefined],
  ])('answers 429 with Retry-After %s: is not sent again before', async (retryAfter, retryAfterMs) => {
    nodes.first.behave(method, { kind: 'status', status: 429, ...(retryAfter === undefined ? {} : { retryAfter }) });
    const transaction = await nodes.sign();
    expect(await broadcastTransaction(rpc, transaction)).toMatchObject({ kind: 'rate-limited', retryAfterMs });
    const asked = nodes.first.asked(method);
    expect(await broadcastTransaction(rpc, transaction)).toMatchObject({
      kind: 'rate-limited',
      retryAfterMs: expect.any(Number),
    });
    expect(nodes.first.asked(method)).toBe(asked);
  });
  it('has it, and the caller has given up: rejects with the reason', async () => {
    const held = nodes.first.hold(method);
    const stop = new AbortController();
    const sending = broadcastTransaction(rpc, await nodes.sign(), { signal: stop.signal });
    await held.arrived;
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(sending).rejects.toBe(reason);
    await held.abandoned;
    held.release();
  });
});

describe('a read, when the node', () => {
  it('reverts: returns the data of the revert', async () => {
    nodes.first.behave('eth_call', { kind: 'error', code: 3, message: 'execution reverted', data: '0x82b42900' });
    const error: unknown = await ethCall(rpc, { to: sender, data: '0x' }).catch((fault: unknown) => fault);
    expect(meaningOf(error)).toEqual({ kind: 'reverted', data: '0x82b42900' });
  });
  const passing: readonly (readonly [string, ProxyFault])[] = [
    ['answers half', { kind: 'truncate' }],
    ['breaks off within the answer', { kind: 'break-off' }],
    ['resets the connection', { kind: 'reset' }],
    ['answers another call', { kind: 'wrong-id' }],
    ['answers with a page', { kind: 'page', body: '<html>' }],
    ['answers 502', { kind: 'status', status: 502 }],
    ['asks to wait for no time', { kind: 'status', status: 429, retryAfter: '0' }],
    ['has a fault within', { kind: 'error', code: -32603, message: 'Internal error' }],
  ];
  it.each(passing)('%s once: is requested again', async (_, fault) => {
    nodes.first.behave('eth_getBalance', fault, 1);
    const patient = nodes.client({ urls: [nodes.first.url] });
    const asked = nodes.first.asked('eth_getBalance');
    expect(await getBalance(patient, sender)).toBe(await getBalance(nodes.direct, sender));
    expect(nodes.first.asked('eth_getBalance')).toBe(asked + 2);
  });
});
