import { setTimeout as delay } from 'node:timers/promises';
import { commitmentServiceAbi } from '@indelible/commitment-contract';
import { Contract, JsonRpcProvider, type TransactionResponse, Wallet } from 'ethers';
import { quantilesOf } from '../measuring/quantiles.ts';
import { auditStamps, type Claim, newestBlock } from './stamp-audit.ts';
import type { EthersJob, EthersOutcome } from './stamp-jobs.ts';
import { freshCid } from './stamp-request.ts';

/** Blocks come once a second; ethers' own 4 s would add to what is measured. */
const pollingIntervalMs = 250;
const gasLimit = 100_000n;
/** So many may wait for a block; a pool takes no more of one sender for ever. */
const unconfirmedAtMost = 1_000;
const receiptWithinMs = 30_000;

/**
 * A transaction a stamp: nonce, gas limit and fees are known beforehand, so that a send is one signature and one request.
 * Several sends are under way at a time; receipts are waited for beside them, as ethers does it.
 */
export async function runEthersStamps(job: EthersJob): Promise<EthersOutcome> {
  const { rpcUrl, chainId, contract: address } = job.chain;
  const fromBlock = await newestBlock(rpcUrl);
  const provider = new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true, pollingInterval: pollingIntervalMs });
  try {
    const wallet = new Wallet(job.privateKey, provider);
    const contract = new Contract(address, commitmentServiceAbi, wallet);
    const { maxFeePerGas, maxPriorityFeePerGas } = await provider.getFeeData();
    let nonce = await wallet.getNonce('pending');
    let isOver = false;
    let unconfirmed = 0;
    const stamped: (Claim & { readonly dueAt: number; readonly answeredAt: number })[] = [];
    const faults: unknown[] = [];

    const confirm = async (cid: string, dueAt: number, sent: TransactionResponse): Promise<void> => {
      const receipt = await provider.waitForTransaction(sent.hash);
      if (receipt?.status !== 1) throw new Error(`transaction ${sent.hash} failed`);
      const isOf = (transaction: string): boolean => transaction === receipt.hash;
      stamped.push({ cid, isOf, dueAt, answeredAt: performance.now() });
    };
    const sendOn = async (): Promise<void> => {
      while (!isOver && faults.length === 0) {
        if (unconfirmed >= unconfirmedAtMost) {
          await delay(10);
          continue;
        }
        const cid = freshCid();
        const dueAt = performance.now();
        const overrides = { nonce: nonce++, gasLimit, maxFeePerGas, maxPriorityFeePerGas, type: 2, chainId };
        const sent: TransactionResponse = await contract.getFunction('addObject').send(cid, overrides);
        unconfirmed++;
        void confirm(cid, dueAt, sent)
          .catch((error: unknown) => faults.push(error))
          .finally(() => unconfirmed--);
      }
    };
    const senders = Promise.all(Array.from({ length: job.sendsUnderWay }, sendOn));
    senders.catch((error: unknown) => faults.push(error));
    await delay(job.warmUpSeconds * 1_000);
    for (
      const until = performance.now() + receiptWithinMs;
      stamped.length === 0 && faults.length === 0;
      await delay(20)
    )
      if (performance.now() > until) throw new Error('no result: no transaction got a receipt');
    const began = performance.now();
    await delay(job.seconds * 1_000);
    const ended = performance.now();
    isOver = true;
    await senders;
    for (const until = performance.now() + receiptWithinMs; unconfirmed > 0; await delay(20))
      if (performance.now() > until) throw new Error(`no result: ${unconfirmed} transactions without a receipt`);
    if (faults.length > 0) throw new Error(`no result: ${faults.length} sends failed`, { cause: faults[0] });
    const measured = stamped.filter(({ answeredAt }) => answeredAt >= began && answeredAt < ended);
    if (measured.length === 0) throw new Error('no stamp was confirmed in the measured seconds');
    const { gas } = await auditStamps(job.chain, fromBlock, stamped);
    return {
      stamps: measured.length,
      stampsPerSecond: measured.length / ((ended - began) / 1_000),
      latencyMs: quantilesOf(measured.map(({ dueAt, answeredAt }) => answeredAt - dueAt)),
      gas,
    };
  } finally {
    provider.destroy();
  }
}
