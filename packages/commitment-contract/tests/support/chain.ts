import type { Hex } from '@indelible/identifiers';
import { cidOfContent, hexOfBytes } from '@indelible/identifiers';
import { commitmentServiceBytecode } from '../../src/index.ts';
import { startAnvil } from './anvil.ts';

export interface Receipt {
  readonly status: Hex;
  readonly gasUsed: Hex;
  readonly blockHash: Hex;
  readonly contractAddress: Hex | null;
  readonly logs: readonly { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex }[];
}

export interface Transaction {
  readonly from: Hex;
  readonly data: Hex;
  /** Default: the contract. */
  readonly to?: Hex | undefined;
}

/** A chain of its own with a freshly deployed contract. */
export interface Chain {
  readonly contract: Hex;
  readonly chainId: number;
  /** Mines calls, one a sender, in one block and gives their receipts, also those of failed ones. */
  send(...transactions: Transaction[]): Promise<Receipt[]>;
  /** What calls would do, one after the other, in a block after the newest: none of it is kept. */
  simulate(transactions: readonly Transaction[]): Promise<readonly Simulated[]>;
  /** eth_call: its answer, or the revert data. */
  call(transaction: Transaction): Promise<{ readonly answer: Hex } | { readonly revertData: Hex }>;
  timeOf(blockHash: Hex): Promise<number>;
  stop(): Promise<void>;
}

export interface Simulated {
  readonly ok: boolean;
  readonly logs: Receipt['logs'];
}

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string; readonly data?: Hex };
}

const deployer: Hex = '0x00000000000000000000000000000000000d3970';
// Given, so that anvil does not estimate: a failing call shall be mined as a failed one.
const gas = '0x1000000';

/** @param bytecode of the contract */
export async function startChain(bytecode: Hex = commitmentServiceBytecode): Promise<Chain> {
  const anvil = await startAnvil();
  try {
    const chainId = Number(resultOf<Hex>((await rpc(anvil.url, [['eth_chainId', []]]))[0]));
    const [deployment] = await sendAll(anvil.url, [{ from: deployer, data: bytecode }]);
    const contract = deployment?.contractAddress;
    if (deployment?.status !== '0x1' || contract === undefined || contract === null) throw new Error('not deployed');
    return {
      contract,
      chainId,
      send: (...transactions) =>
        sendAll(
          anvil.url,
          transactions.map((transaction) => ({ to: contract, ...transaction })),
        ),
      async simulate(transactions) {
        const calls = transactions.map((transaction) => ({ to: contract, ...transaction, gas }));
        const [answer] = await rpc(anvil.url, [['eth_simulateV1', [{ blockStateCalls: [{ calls }] }, 'latest']]]);
        const [block] = resultOf<readonly { calls: readonly { status: Hex; logs: Receipt['logs'] }[] }[]>(answer);
        return (block?.calls ?? []).map(({ status, logs }) => ({ ok: status === '0x1', logs }));
      },
      async call(transaction) {
        const [answer] = await rpc(anvil.url, [['eth_call', [{ to: contract, ...transaction, gas }, 'latest']]]);
        if (answer?.error?.data !== undefined) return { revertData: answer.error.data };
        return { answer: resultOf<Hex>(answer) };
      },
      async timeOf(blockHash) {
        const [answer] = await rpc(anvil.url, [['eth_getBlockByHash', [blockHash, false]]]);
        return Number(resultOf<{ timestamp: Hex }>(answer).timestamp);
      },
      stop: anvil.stop,
    };
  } catch (cause) {
    await anvil.stop();
    throw new Error('the chain did not start', { cause });
  }
}

/** An address, or a CID, that no other number gives. */
export const addressNumber = (number: number): Hex => `0x${(0xa0000000 + number).toString(16).repeat(5)}`;
/** Hashes, so that call data has as many zero bytes, and costs as much, as that of real CIDs. */
export const cidNumber = (number: number): Hex => cidOfContent(Buffer.from(`${number}`));
export const callData = (bytes: Uint8Array): Hex => hexOfBytes(bytes);

async function sendAll(url: string, transactions: readonly Transaction[]): Promise<Receipt[]> {
  const sent = await rpc(
    url,
    transactions.map((transaction) => ['eth_sendTransaction', [{ ...transaction, gas, gasPrice: '0x0' }]]),
  );
  const hashes = sent.map((answer) => resultOf<Hex>(answer));
  await rpc(url, [['evm_mine', []]]);
  const receipts = await rpc(
    url,
    hashes.map((hash) => ['eth_getTransactionReceipt', [hash]]),
  );
  return receipts.map((answer) => resultOf<Receipt>(answer));
}

async function rpc(url: string, calls: readonly (readonly [string, readonly unknown[]])[]): Promise<Answer[]> {
  const body = JSON.stringify(calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params })));
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const answers = (await response.json()) as Answer[];
  return answers.toSorted((a, b) => a.id - b.id);
}

function resultOf<T>(answer: Answer | undefined): T {
  if (answer?.result === undefined || answer.result === null) throw new Error(answer?.error?.message ?? 'no answer');
  return answer.result as T;
}
