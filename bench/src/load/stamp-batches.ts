import { Agent } from 'node:http';
import type { Mark } from '../measuring/use.ts';
import { type BatchJob, sendBatch } from './batch-request.ts';
import { auditStamps, claimsOf, newestBlock } from './stamp-audit.ts';
import type { StampLoad, StampOutcome } from './stamp-loops.ts';
import type { Acknowledged } from './stamp-request.ts';
import { outcomeOf, sendDuring, within } from './window.ts';

/** Connections that each stream batch after batch of fresh CIDs while they read the results. */
export type StampBatchesJob = StampLoad & BatchJob;

/** Latency counts from when a line was made, when the number of lines in flight allowed it. */
export async function stampBatches(job: StampBatchesJob, mark: (place: Mark) => void): Promise<StampOutcome> {
  const fromBlock = await newestBlock(job.chain.rpcUrl);
  const agent = new Agent({ keepAlive: true, maxSockets: job.connections });
  const acknowledged: Acknowledged[] = [];
  const sendOn = async (over: AbortSignal): Promise<void> => {
    while (!over.aborted) await sendBatch(job, agent, over, (line) => acknowledged.push(line));
  };
  try {
    const window = await sendDuring(job, mark, job.connections, sendOn, () => acknowledged.length > 0);
    const { gas } = await auditStamps(job.chain, fromBlock, claimsOf(acknowledged, job.chain));
    return { ...outcomeOf(within(acknowledged, window), window), gas };
  } finally {
    agent.destroy();
  }
}
