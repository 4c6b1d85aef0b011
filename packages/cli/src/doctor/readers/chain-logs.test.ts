import { eventTopics } from '@indelible/commitment-contract';
import { quantityOf, type Rpc, RpcAnswerError, type RpcCall, RpcUnavailableError } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { commitmentsOfTransaction, createChainPort, readCommitments } from './chain-logs.ts';

const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`;
const contract: Hex = `0x${'c'.repeat(40)}`;
/** A filter that allows for every log of the contract; one of some other log; and one of none. */
const full: Hex = `0x7${'f'.repeat(511)}`;
const other: Hex = `0x${'0'.repeat(511)}1`;
const none: Hex = `0x${'0'.repeat(512)}`;

type Change = (method: string, number: number, answer: Record<string, unknown>) => unknown;

/** A node whose blocks have one transaction with so many logs each, and that may answer something else. */
function node(
  logsOf: (block: number) => number,
  {
    change = (_method, _number, answer) => answer,
    userOf = () => word(1),
  }: { change?: Change; userOf?: (log: number) => Hex } = {},
) {
  const requests: string[] = [];
  const log = (number: number, index: number) => ({
    address: contract,
    topics: [eventTopics.AddObject, userOf(index), word(index + 1)],
    data: word(number),
    blockNumber: quantityOf(number),
    blockHash: word(number),
    transactionHash: word(number),
    transactionIndex: '0x0',
    logIndex: quantityOf(index),
  });
  const block = (number: number) => ({
    number: quantityOf(number),
    hash: word(number),
    parentHash: word(number - 1),
    timestamp: quantityOf(number),
    logsBloom: logsOf(number) === 0 ? other : full,
    gasLimit: '0x9',
    gasUsed: '0x1',
    transactions: [word(number)],
  });
  const receipt = (number: number) => ({
    transactionHash: word(number),
    transactionIndex: '0x0',
    blockHash: word(number),
    blockNumber: quantityOf(number),
    from: contract,
    to: contract,
    contractAddress: null,
    status: '0x1',
    gasUsed: '0x1',
    cumulativeGasUsed: '0x1',
    effectiveGasPrice: '0x1',
    logsBloom: logsOf(number) === 0 ? none : full,
    logs: Array.from({ length: logsOf(number) }, (_, index) => log(number, index)),
  });
  const answer = (method: string, number: number): unknown => {
    requests.push(`${method} ${number}`);
    if (method === 'eth_getBlockReceipts') {
      const changed = change(method, number, receipt(number));
      return changed === undefined ? [] : [changed];
    }
    const plain = method === 'eth_getTransactionReceipt' ? receipt(number) : block(number);
    return change(method, number, plain) ?? null;
  };
  const call = async (method: string, [first]: readonly unknown[]): Promise<unknown> => answer(method, Number(first));
  const batch = async (calls: readonly RpcCall[]) =>
    calls.map(({ method, params }) => ({ ok: true, result: answer(method, Number(params[0])) }));
  const { signal } = new AbortController();
  const rpc = { call, batch } as unknown as Rpc;
  return { chain: createChainPort({ rpc, chainId: 1, contract, timeoutMs: 1_000, signal }), requests };
}

describe('the commitments of a block', () => {
  it('are those of all its receipts, in order, whatever the node’s index of logs has', async () => {
    const { chain, requests } = node(() => 2);
    expect(await readCommitments(chain, 7)).toMatchObject([
      { blockNumber: 7, logIndex: 0, blockHash: word(7), blockTime: 7 },
      { blockNumber: 7, logIndex: 1 },
    ]);
    expect(requests).toEqual(['eth_getBlockByNumber 7', 'eth_getBlockReceipts 7']);
  });

  it('are none, without its receipts, where its filter rules them out', async () => {
    const { chain, requests } = node(() => 0);
    expect(await readCommitments(chain, 7)).toEqual([]);
    expect(requests).toEqual(['eth_getBlockByNumber 7']);
  });

  it('come without the logs that nobody can decode, since anybody may have caused them', async () => {
    const { chain } = node(() => 3, { userOf: (log) => (log === 1 ? `0x${'f'.repeat(64)}` : word(1)) });
    expect((await readCommitments(chain, 7)).map(({ logIndex }) => logIndex)).toEqual([0, 2]);
  });

  it('are none beyond the end of the chain', async () => {
    const { chain } = node(() => 1, { change: (_, number, answer) => (number > 5 ? undefined : answer) });
    expect(await readCommitments(chain, 5)).toHaveLength(1);
    expect(await readCommitments(chain, 9)).toEqual([]);
  });

  const everyReceipt =
    (act: (receipt: Record<string, unknown>) => unknown): Change =>
    (method, _number, answer) =>
      /Receipt/.test(method) ? act(answer) : answer;
  const firstLog = (change: object): Change =>
    everyReceipt((receipt) => {
      const [log, ...others] = receipt.logs as object[];
      return { ...receipt, logs: [{ ...log, ...change }, ...others] };
    });
  it.each<[string, Change]>([
    ['leaves out a receipt', everyReceipt(() => undefined)],
    ['leaves out the logs of a receipt', everyReceipt((receipt) => ({ ...receipt, logs: [], logsBloom: none }))],
    ['leaves out a log', everyReceipt((receipt) => ({ ...receipt, logs: (receipt.logs as object[]).slice(1) }))],
    ['gives a receipt of another block', everyReceipt((receipt) => ({ ...receipt, blockHash: word(1) }))],
    ['gives a receipt of another transaction', everyReceipt((receipt) => ({ ...receipt, transactionHash: word(1) }))],
    ['gives a log of another block', firstLog({ blockHash: word(1) })],
    ['gives a log that was removed', firstLog({ removed: true })],
    [
      'gives another block',
      (method, _number, answer) =>
        method === 'eth_getBlockByNumber' ? { ...answer, number: quantityOf(8), hash: word(8) } : answer,
    ],
  ])('are not to be had of a node that %s', async (_, change) => {
    const { chain } = node(() => 2, { change });
    await expect(readCommitments(chain, 7)).rejects.toThrow(RpcUnavailableError);
  });

  it('are not to be had when the node refuses its receipts', async () => {
    const refusal = new RpcAnswerError('eth_getBlockReceipts', -32_602, 'no', undefined);
    const { chain } = node(() => 10, {
      change: (method, _number, answer) => {
        if (/Receipt/.test(method)) throw refusal;
        return answer;
      },
    });
    await expect(readCommitments(chain, 3)).rejects.toThrow(refusal);
  });
});

describe('the commitments of a transaction', () => {
  it('are those that all receipts of its block have of it', async () => {
    const { chain } = node(() => 2);
    expect(await commitmentsOfTransaction(chain, word(7))).toMatchObject({
      blockHash: word(7),
      succeeded: true,
      commitments: [
        { blockNumber: 7, logIndex: 0, blockTime: 7 },
        { blockNumber: 7, logIndex: 1 },
      ],
    });
  });

  it('are undefined when no block holds it', async () => {
    const { chain } = node(() => 2, {
      change: (method, _number, answer) => (method === 'eth_getTransactionReceipt' ? undefined : answer),
    });
    expect(await commitmentsOfTransaction(chain, word(7))).toBeUndefined();
  });

  it.each<[string, Change]>([
    [
      'by itself leaves out a log',
      (method, _number, answer) =>
        method === 'eth_getTransactionReceipt' ? { ...answer, logs: (answer.logs as object[]).slice(0, 1) } : answer,
    ],
    [
      'is left out of its block, as is the transaction',
      (method, _number, answer) => {
        if (method === 'eth_getBlockReceipts') return undefined;
        return method === 'eth_getBlockByHash' ? { ...answer, transactions: [] } : answer;
      },
    ],
  ])('are not to be had when its receipt %s', async (_, change) => {
    const { chain } = node(() => 2, { change });
    await expect(commitmentsOfTransaction(chain, word(7))).rejects.toThrow(RpcUnavailableError);
  });
});
