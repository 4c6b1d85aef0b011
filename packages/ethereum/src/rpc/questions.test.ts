import { describe, expect, it } from '@jest/globals';
import { readRetryAfter } from './http-answers.ts';
import { isDoubtful, type Need, needOf, reportedHead } from './questions.ts';

const call = (method: string, ...params: unknown[]) => ({ method, params });

describe('what a question needs of a node', () => {
  it.each<[Need['head'], boolean, string, unknown[]]>([
    ['latest', true, 'eth_blockNumber', []],
    ['latest', true, 'eth_getTransactionCount', ['0xab', 'latest']],
    ['latest', true, 'eth_getTransactionCount', ['0xab', 'pending']],
    ['latest', true, 'eth_getBlockByNumber', ['finalized', false]],
    ['latest', true, 'eth_estimateGas', [{}]],
    ['latest', true, 'eth_getLogs', [{ blockHash: '0xab' }]],
    ['latest', true, 'eth_getTransactionReceipt', ['0xab']],
    [16, true, 'eth_getBlockByNumber', ['0x10', false]],
    [16, true, 'eth_call', [{}, '0x10']],
    ['none', true, 'eth_getBlockByNumber', ['earliest', false]],
    ['none', true, 'eth_chainId', []],
    ['none', false, 'eth_sendTransaction', [{}]],
    ['none', false, 'anvil_mine', ['0x1']],
  ])('is a head of %s, a read: %s: %s %j', (head, isRead, method, params) => {
    expect(needOf([call(method, ...params)])).toEqual({ isRead, head });
  });
  it('is that of all calls of a batch together', () => {
    const blocks = [call('eth_getBlockByNumber', '0x10', false), call('eth_getBlockByNumber', '0x20', false)];
    expect(needOf(blocks)).toEqual({ isRead: true, head: 32 });
    expect(needOf([call('eth_chainId'), ...blocks])).toEqual({ isRead: true, head: 32 });
    expect(needOf([...blocks, call('eth_gasPrice')])).toEqual({ isRead: true, head: 'latest' });
    expect(needOf([...blocks, call('anvil_mine')])).toEqual({ isRead: false, head: 32 });
  });
});

describe('the answer null', () => {
  it.each([
    [true, call('eth_getBlockByNumber', '0x10', false)],
    [false, call('eth_getBlockByNumber', '0x11', false)],
    [false, call('eth_getBlockByNumber', 'finalized', false)],
    [true, call('eth_getBlockByHash', '0xab', false)],
    [true, call('eth_getBlockReceipts', '0xab')],
    [false, call('eth_getTransactionReceipt', '0xab')],
  ])('is doubtful where the block must be there: %s: %j', (doubtful, question) => {
    expect(isDoubtful(question, null, 16)).toBe(doubtful);
    expect(isDoubtful(question, {}, 16)).toBe(false);
  });
});

describe('a head', () => {
  it.each([
    [16, call('eth_blockNumber'), '0x10'],
    [16, call('eth_getBlockByNumber', 'latest', false), { number: '0x10' }],
    [undefined, call('eth_getBlockByNumber', 'finalized', false), { number: '0x10' }],
    [undefined, call('eth_getBlockByNumber', 'latest', false), null],
    [undefined, call('eth_blockNumber'), 'sixteen'],
    [undefined, call('eth_chainId'), '0x10'],
  ])('of %s is told by %j answered %j', (head, question, answer) => {
    expect(reportedHead(question, answer)).toBe(head);
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 10, 21, 7, 0, 0);
  it.each([
    [null, undefined],
    ['120', 120_000],
    ['Sat, 21 Nov 2026 07:00:30 GMT', 30_000],
    ['Sat, 21 Nov 2026 06:00:00 GMT', 0],
    ['soon', undefined],
  ])('%s is %s ms', (value, ms) => {
    expect(readRetryAfter(value, now)).toBe(ms);
  });
});
