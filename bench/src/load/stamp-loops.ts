import { type Quantiles, quantilesOf } from '../measuring/statistics.ts';
import type { Mark } from '../measuring/use.ts';
import { withCallers } from './callers.ts';
import { watchChain } from './chain-watch.ts';
import { auditStamps, claimsOf, newestBlock, receiptOf, type StampedGas, type StampTarget } from './stamp-audit.ts';
import { type Duration, type LoadOutcome, outcomeOf, passWindow, within } from './window.ts';

export type StampLoad = StampTarget & Duration;
export type StampOutcome = LoadOutcome & { readonly gas: StampedGas };
export type OpenLoopOutcome = StampOutcome & {
  /** From the arrival of the head of the block that holds it, as announced to the same process. */
  readonly afterHeadMs: Quantiles;
  /** From the set time to when the node has the transaction. */
  readonly beforeSubmissionMs: Quantiles;
};

/** There are connections for this many seconds of unanswered requests. */
const secondsUnderWay = 5;

/** Callers that each stamp a fresh CID, and the next one after the response. */
export async function closedLoop(
  job: StampLoad & { readonly callers: number },
  mark: (place: Mark) => void,
): Promise<StampOutcome> {
  const fromBlock = await newestBlock(job.chain.rpcUrl);
  return withCallers({ ...job, connections: job.callers, status: 201 }, async (callers) => {
    // The first responses come together, since all send at the same time.
    const areBegun = (): boolean => callers.acknowledged.length >= job.callers;
    const window = await passWindow(job, mark, callers.failed, areBegun);
    const all = await callers.finish();
    const { gas } = await auditStamps(job.chain, fromBlock, claimsOf(all, job.chain));
    return { ...outcomeOf(within(all, window), window), gas };
  });
}

/** Stamps at set times, however late the responses; counts those due in the measured seconds. */
export async function openLoop(
  job: StampLoad & { readonly perSecond: number },
  mark: (place: Mark) => void,
): Promise<OpenLoopOutcome> {
  const fromBlock = await newestBlock(job.chain.rpcUrl);
  const watch = await watchChain(job.chain.rpcUrl);
  const connections = Math.ceil(job.perSecond * secondsUnderWay);
  try {
    return await withCallers({ ...job, connections, status: 201 }, async (callers) => {
      const window = await passWindow(job, mark, callers.failed);
      const all = await callers.finish();
      const { blockOf, gas } = await auditStamps(job.chain, fromBlock, claimsOf(all, job.chain));
      const measured = within(all, window, 'dueAt');
      const times = measured.map(({ dueAt, answeredAt, body }) => {
        const transaction = String(receiptOf(body).transaction_hash);
        const headAt = watch.heads.get(blockOf.get(transaction) ?? -1);
        const pendingAt = watch.pending.get(transaction);
        if (headAt === undefined || pendingAt === undefined)
          throw new Error(`no result: the node did not announce transaction ${transaction} and its block`);
        return { afterHead: answeredAt - headAt, beforeSubmission: pendingAt - dueAt };
      });
      return {
        ...{ ...outcomeOf(measured, window), gas },
        afterHeadMs: quantilesOf(times.map(({ afterHead }) => afterHead)),
        beforeSubmissionMs: quantilesOf(times.map(({ beforeSubmission }) => beforeSubmission)),
      };
    });
  } finally {
    watch.close();
  }
}
