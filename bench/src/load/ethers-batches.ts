import { setTimeout as delay } from 'node:timers/promises';
import { commitmentServiceAbi } from '@indelible/commitment-contract';
import { zeroCid } from '@indelible/identifiers';
import { Contract, JsonRpcProvider, type TransactionResponse, Wallet } from 'ethers';
import { quantilesOf } from '../measuring/quantiles.ts';
import type { Mark } from './jobs.ts';
import { auditStamps, type Claim, newestBlock } from './stamp-audit.ts';
import type { ClosedLoopOutcome, EthersBatchesJob } from './stamp-jobs.ts';
import { freshCid } from './stamp-request.ts';

/** Blocks come once a second; ethers' own 4 s would add to what is measured. */
const pollingIntervalMs = 250;
const gas = { transaction: 60_000, stamp: 3_000 };
const firstReceiptWithinMs = 30_000;

type Stamped = Claim & { readonly dueAt: number; readonly answeredAt: number };

/**
 * Batches by the contract's own batch function, as one would write it with ethers: nonce, gas limit and fees are known
 * beforehand, several batches are under way, and the next is sent when one of them has its receipt.
 * @param mark told when the measured seconds begin and end
 */
export async function runEthersBatches(job: EthersBatchesJob, mark: (place: Mark) => void): Promise<ClosedLoopOutcome> {
  const { rpcUrl, chainId, contract: address, user } = job.chain;
  const fromBlock = await newestBlock(rpcUrl);
  const provider = new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true, pollingInterval: pollingIntervalMs });
  const over = new AbortController();
  try {
    const wallet = new Wallet(job.privateKey, provider);
    const commitBatch = new Contract(address, commitmentServiceAbi, wallet).getFunction('commitBatch');
    const { maxFeePerGas, maxPriorityFeePerGas } = await provider.getFeeData();
    const gasLimit = gas.transaction + job.stampsPerBatch * gas.stamp;
    const overrides = { gasLimit, maxFeePerGas, maxPriorityFeePerGas, type: 2, chainId };
    const runs = [{ user, count: job.stampsPerBatch, newSet: false, setCid: zeroCid }];
    let nonce = await wallet.getNonce('pending');
    const stamped: Stamped[] = [];
    const sendOn = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const cids = Array.from({ length: job.stampsPerBatch }, freshCid);
        const dueAt = performance.now();
        const sent: TransactionResponse = await commitBatch.send(runs, cids, { ...overrides, nonce: nonce++ });
        const receipt = await provider.waitForTransaction(sent.hash);
        if (receipt?.status !== 1 || receipt.logs.length !== cids.length)
          throw new Error(`no result: transaction ${sent.hash} failed`);
        const answeredAt = performance.now();
        const isOf = (transaction: string): boolean => transaction === receipt.hash;
        for (const cid of cids) stamped.push({ cid, isOf, dueAt, answeredAt });
      }
    };
    const sending = Promise.all(Array.from({ length: job.batchesUnderWay }, sendOn));
    // It is waited for below; a fault ends the measuring at once.
    const failed = sending.then(() => {});
    failed.catch(() => over.abort());
    const pause = async (ms: number): Promise<void> => void (await Promise.race([delay(ms), failed]));

    await pause(job.warmUpSeconds * 1_000);
    for (const until = performance.now() + firstReceiptWithinMs; stamped.length === 0; await pause(20))
      if (performance.now() > until) throw new Error('no result: no transaction got a receipt');
    const began = performance.now();
    mark('begin');
    await pause(job.seconds * 1_000);
    const ended = performance.now();
    mark('end');
    over.abort();
    await sending;
    const measured = stamped.filter(({ answeredAt }) => answeredAt >= began && answeredAt < ended);
    if (measured.length === 0) throw new Error('no result: no stamp was confirmed in the measured seconds');
    const audit = await auditStamps(job.chain, fromBlock, stamped);
    return {
      stamps: measured.length,
      stampsPerSecond: measured.length / ((ended - began) / 1_000),
      latencyMs: quantilesOf(measured.map(({ dueAt, answeredAt }) => answeredAt - dueAt)),
      gas: audit.gas,
    };
  } finally {
    over.abort();
    provider.destroy();
  }
}
