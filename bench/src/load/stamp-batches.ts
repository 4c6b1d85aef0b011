import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { quantilesOf } from '../measuring/quantiles.ts';
import { type AnsweredLine, sendBatch } from './batch-request.ts';
import type { Mark } from './jobs.ts';
import { auditStamps, claimsOf, newestBlock } from './stamp-audit.ts';
import type { ClosedLoopOutcome, StampBatchesJob } from './stamp-jobs.ts';

const firstAnswerWithinMs = 60_000;

/**
 * Latency counts from when a line was made, which the number of lines that may be under way allowed.
 * @param mark told when the measured seconds begin and end
 */
export async function runStampBatches(job: StampBatchesJob, mark: (place: Mark) => void): Promise<ClosedLoopOutcome> {
  const fromBlock = await newestBlock(job.chain.rpcUrl);
  const agent = new Agent({ keepAlive: true, maxSockets: job.connections });
  const acknowledged: AnsweredLine[] = [];
  const over = new AbortController();
  const isOver = (): boolean => over.signal.aborted;
  const sendOn = async (): Promise<void> => {
    while (!isOver()) await sendBatch(job, agent, isOver, (line) => acknowledged.push(line));
  };
  const sending = Promise.all(Array.from({ length: job.connections }, sendOn));
  // It is waited for below; a fault ends the measuring at once.
  const failed = sending.then(() => {});
  failed.catch(() => over.abort());
  const pause = async (ms: number): Promise<void> => void (await Promise.race([delay(ms), failed]));
  try {
    await pause(job.warmUpSeconds * 1_000);
    for (const until = performance.now() + firstAnswerWithinMs; acknowledged.length === 0; await pause(20))
      if (performance.now() > until) throw new Error('no result: no line was answered');
    const began = performance.now();
    mark('begin');
    await pause(job.seconds * 1_000);
    const ended = performance.now();
    mark('end');
    over.abort();
    await sending;
    const measured = acknowledged.filter(({ answeredAt }) => answeredAt >= began && answeredAt < ended);
    if (measured.length === 0) throw new Error('no result: no line was answered in the measured seconds');
    const { gas } = await auditStamps(job.chain, fromBlock, claimsOf(acknowledged, job.chain, job.collections));
    return {
      stamps: measured.length,
      stampsPerSecond: measured.length / ((ended - began) / 1_000),
      latencyMs: quantilesOf(measured.map(({ dueAt, answeredAt }) => answeredAt - dueAt)),
      gas,
    };
  } finally {
    over.abort();
    agent.destroy();
  }
}
