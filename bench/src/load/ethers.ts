import { commitmentServiceAbi } from '@indelible/commitment-contract';
import { type Hex, zeroCid } from '@indelible/identifiers';
import { Contract, JsonRpcProvider, type TransactionResponse, Wallet } from 'ethers';
import type { Mark } from '../measuring/use.ts';
import { auditStamps, type Claim, newestBlock, type StampedChain } from './stamp-audit.ts';
import type { StampOutcome } from './stamp-loops.ts';
import { freshCid } from './stamp-request.ts';
import { type Duration, outcomeOf, sendDuring, type Timed, within } from './window.ts';

/** Blocks come once a second; ethers' own 4 s would add to what is measured. */
const pollingIntervalMs = 250;
const gas = { transaction: 60_000, stamp: 3_000, alone: 100_000 };

/** An account with funds and its own contract on the system's chain, so that no service reads its logs. */
export type Stranger = { readonly chain: StampedChain; readonly privateKey: Hex };

export type EthersJob = Duration &
  Stranger & { readonly stampsPerTransaction: number; readonly transactionsUnderWay: number };

/**
 * Stamps with plain ethers and the contract's own functions: nonce, gas limit and fees are known beforehand, several
 * transactions are in flight, and each receipt triggers the next one.
 */
export async function stampByEthers(job: EthersJob, mark: (place: Mark) => void): Promise<StampOutcome> {
  const { rpcUrl, chainId, contract: address, user } = job.chain;
  const fromBlock = await newestBlock(rpcUrl);
  const provider = new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true, pollingInterval: pollingIntervalMs });
  try {
    const wallet = new Wallet(job.privateKey, provider);
    const contract = new Contract(address, commitmentServiceAbi, wallet);
    const { maxFeePerGas, maxPriorityFeePerGas } = await provider.getFeeData();
    const isAlone = job.stampsPerTransaction === 1;
    const gasLimit = isAlone ? gas.alone : gas.transaction + job.stampsPerTransaction * gas.stamp;
    const common = { gasLimit, maxFeePerGas, maxPriorityFeePerGas, type: 2, chainId };
    const runs = [{ user, count: job.stampsPerTransaction, newSet: false, setCid: zeroCid }];
    let nonce = await wallet.getNonce('pending');
    const stamped: (Claim & Timed)[] = [];
    const send = (cids: readonly string[]): Promise<TransactionResponse> => {
      const overrides = { ...common, nonce: nonce++ };
      return isAlone
        ? contract.getFunction('addObject').send(cids[0], overrides)
        : contract.getFunction('commitBatch').send(runs, cids, overrides);
    };
    const sendOn = async (over: AbortSignal): Promise<void> => {
      while (!over.aborted) {
        const cids = Array.from({ length: job.stampsPerTransaction }, freshCid);
        const dueAt = performance.now();
        const { hash } = await send(cids);
        const receipt = await provider.waitForTransaction(hash);
        if (receipt?.status !== 1 || receipt.logs.length !== cids.length)
          throw new Error(`no result: transaction ${hash} failed`);
        const answeredAt = performance.now();
        const isOf = (transaction: string): boolean => transaction === receipt.hash;
        for (const cid of cids) stamped.push({ cid, isOf, dueAt, answeredAt });
      }
    };
    const window = await sendDuring(job, mark, job.transactionsUnderWay, sendOn, () => stamped.length > 0);
    const audit = await auditStamps(job.chain, fromBlock, stamped);
    return { ...outcomeOf(within(stamped, window), window), gas: audit.gas };
  } finally {
    provider.destroy();
  }
}
