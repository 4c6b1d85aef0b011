import { setTimeout as delay } from 'node:timers/promises';
import { decodeContractLog, eventTopics } from '@indelible/commitment-contract';
import { checksumAddress, type Hex, receiptTime, zeroCid } from '@indelible/identifiers';
import { callRpc } from '@indelible/launcher/servers';
import type { Acknowledged, Target } from './stamp-request.ts';

/** Where to look up stamps afterwards, and their owner. */
export type StampedChain = {
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly contract: Hex;
  readonly user: Hex;
};

/** What a load needs to stamp, and to look its stamps up. */
export type StampTarget = Target & { readonly chain: StampedChain };

/** The gas of stamps, each of which is on the chain exactly once, as its receipt says. */
export type StampedGas = {
  readonly gasPerStamp: number;
  readonly fullestBlock: { readonly gasUsed: number; readonly gasLimit: number };
};

const lookMs = 100;
/** Blocks per request: up to some thousand logs of 600 bytes each. */
const blocksAtOnce = 4;
const rpcTimeoutMs = 60_000;

type RawLog = {
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: Hex;
  readonly transactionHash: Hex;
};
type RawBlock = { readonly timestamp: Hex; readonly gasUsed: Hex; readonly gasLimit: Hex };

/** An acknowledged stamp, and whether its response names this transaction and block time. */
export type Claim = {
  readonly cid: string;
  isOf(transaction: Hex, seconds: number): boolean;
};

export type StampAudit = {
  readonly gas: StampedGas;
  /** Block number by transaction. */
  readonly blockOf: ReadonlyMap<string, number>;
};

/** @returns the number of the newest block */
export async function newestBlock(rpcUrl: string): Promise<number> {
  return Number(await callRpc<Hex>(rpcUrl, 'eth_blockNumber', [], AbortSignal.timeout(rpcTimeoutMs)));
}

/**
 * Looks up everything acknowledged on the chain, from a block on: each CID is there once, in its receipt's transaction
 * and block time, and the rest of the receipt is right.
 * @param withinMs how long to wait for missing stamps
 * @throws Error that says how many are lost, doubled or wrong
 */
export async function auditStamps(
  chain: StampedChain,
  fromBlock: number,
  claims: readonly Claim[],
  withinMs = 0,
): Promise<StampAudit> {
  const { rpcUrl, contract } = chain;
  const ask = <Result>(method: string, params: unknown[]): Promise<Result> =>
    callRpc<Result>(rpcUrl, method, params, AbortSignal.timeout(rpcTimeoutMs));
  const topics = [[eventTopics.AddObject, eventTopics.AddSetObject], `0x${chain.user.slice(2).padStart(64, '0')}`];
  const quantity = (value: number): Hex => `0x${value.toString(16)}`;
  const open = new Map(claims.map((claim) => [claim.cid, { claim, times: 0 }]));
  const blockOf = new Map<string, number>();
  const wrong: string[] = [];
  let [logs, gas, lost] = [0, 0, open.size];
  let fullestBlock = { gasUsed: 0, gasLimit: 0 };

  const readBlocks = async (first: number, last: number): Promise<void> => {
    const range = { fromBlock: quantity(first), toBlock: quantity(last) };
    const blocks = new Map<Hex, RawBlock>();
    for (const log of await ask<RawLog[]>('eth_getLogs', [{ address: contract, topics, ...range }])) {
      const number = log.blockNumber;
      const block = blocks.get(number) ?? (await ask<RawBlock>('eth_getBlockByNumber', [number, false]));
      blocks.set(number, block);
      blockOf.set(log.transactionHash, Number(number));
      logs++;
      const event = decodeContractLog(log);
      if (event?.kind !== 'AddObject' && event?.kind !== 'AddSetObject') continue;
      const known = open.get(event.objectCid);
      // Sent, not acknowledged: may be on the chain.
      if (known === undefined) continue;
      if (known.times++ === 0) lost--;
      const isRight =
        (event.kind === 'AddObject' || event.setCid === zeroCid) &&
        event.timestamp === Number(block.timestamp) &&
        known.claim.isOf(log.transactionHash, event.timestamp);
      if (!isRight) wrong.push(event.objectCid);
    }
    for (const { gasUsed, gasLimit } of blocks.values()) {
      gas += Number(gasUsed);
      if (Number(gasUsed) > fullestBlock.gasUsed)
        fullestBlock = { gasUsed: Number(gasUsed), gasLimit: Number(gasLimit) };
    }
  };
  let next = fromBlock;
  for (const until = performance.now() + withinMs; ; await delay(lookMs)) {
    for (const newest = await newestBlock(rpcUrl); next <= newest; next = Math.min(newest, next + blocksAtOnce - 1) + 1)
      await readBlocks(next, Math.min(newest, next + blocksAtOnce - 1));
    if (lost === 0 || performance.now() >= until) break;
  }

  const doubled = [...open.values()].filter((one) => one.times > 1).length + (claims.length - open.size);
  if (lost + doubled + wrong.length > 0)
    throw new Error(
      `no result: of ${claims.length} acknowledged stamps ${lost} are lost, ${doubled} doubled, ${wrong.length} wrong` +
        (wrong.length > 0 ? `, among them ${wrong[0]}` : ''),
    );
  return { gas: { gasPerStamp: gas / logs, fullestBlock }, blockOf };
}

/** What the receipts of a service say of stamps without a collection. */
export const claimsOf = (acknowledged: readonly Pick<Acknowledged, 'cid' | 'body'>[], chain: StampedChain): Claim[] => {
  const user = checksumAddress(chain.user);
  return acknowledged.map(({ cid, body }) => ({
    cid,
    isOf(transaction, seconds) {
      const receipt = receiptOf(body);
      return (
        receipt.transaction_hash === transaction &&
        receipt.timestamp === receiptTime(seconds) &&
        receipt.object_cid === cid &&
        receipt.set_cid === zeroCid &&
        receipt.user_address === user &&
        receipt.chain_id === chain.chainId
      );
    },
  }));
};

/** The receipt in a response; empty if there is none. */
export function receiptOf(body: string): Readonly<Record<string, unknown>> {
  return (JSON.parse(body) as { commitment_receipt?: Record<string, unknown> }).commitment_receipt ?? {};
}
