import { setTimeout as delay } from 'node:timers/promises';
import { quantilesOf } from '../measuring/quantiles.ts';
import { openConnections } from './http-connection.ts';
import type { Mark } from './jobs.ts';
import { requireOpenFiles } from './open-files.ts';
import { auditStamps, claimsOf, newestBlock } from './stamp-audit.ts';
import type { ClosedLoopJob, ClosedLoopOutcome } from './stamp-jobs.ts';
import { createStampLog } from './stamp-log.ts';
import { freshCid, stampRequests } from './stamp-request.ts';

/** @param mark told when the measured seconds begin and end */
export async function runClosedLoop(job: ClosedLoopJob, mark: (place: Mark) => void): Promise<ClosedLoopOutcome> {
  requireOpenFiles(job.callers);
  const fromBlock = await newestBlock(job.chain.rpcUrl);
  const log = createStampLog();
  const connections = await openConnections(job.rootUrl, job.callers, log.broken);
  const requestOf = stampRequests(job);
  let isOver = false;
  try {
    for (const connection of connections) {
      const stampNext = (): void => {
        const cid = freshCid();
        const dueAt = performance.now();
        log.sent();
        connection.send(requestOf(cid), (status, body) => {
          log.answered(cid, dueAt, status, body);
          if (!isOver) stampNext();
        });
      };
      stampNext();
    }
    await delay(job.warmUpSeconds * 1_000);
    // The first answers come together, after all have asked at once.
    await log.untilAnswered(job.callers);
    const began = performance.now();
    mark('begin');
    await delay(job.seconds * 1_000);
    const ended = performance.now();
    mark('end');
    isOver = true;
    const acknowledged = await log.allAnswered();
    const measured = acknowledged.filter(({ answeredAt }) => answeredAt >= began && answeredAt < ended);
    if (measured.length === 0) throw new Error('no stamp was answered in the measured seconds');
    const { gas } = await auditStamps(job.chain, fromBlock, claimsOf(acknowledged, job.chain, job.collections));
    return {
      stamps: measured.length,
      stampsPerSecond: measured.length / ((ended - began) / 1_000),
      latencyMs: quantilesOf(measured.map(({ dueAt, answeredAt }) => answeredAt - dueAt)),
      gas,
    };
  } finally {
    isOver = true;
    for (const connection of connections) connection.close();
  }
}
