import { setTimeout as delay } from 'node:timers/promises';
import { quantilesOf } from '../measuring/quantiles.ts';
import { watchChain } from './chain-watch.ts';
import { type Connection, openConnections } from './http-connection.ts';
import type { Mark } from './jobs.ts';
import { requireOpenFiles } from './open-files.ts';
import { auditStamps, claimsOf, newestBlock, receiptOf } from './stamp-audit.ts';
import type { OpenLoopJob, OpenLoopOutcome } from './stamp-jobs.ts';
import { createStampLog } from './stamp-log.ts';
import { freshCid, stampRequests } from './stamp-request.ts';

/** Connections for so many seconds of requests that nobody has answered yet; what needs more does not keep up. */
const secondsUnderWay = 5;

/**
 * Sends at set times whatever the answers do. A connection is free again when its answer is there.
 * @param mark told when the measured seconds begin and end
 */
export async function runOpenLoop(job: OpenLoopJob, mark: (place: Mark) => void): Promise<OpenLoopOutcome> {
  const most = Math.ceil(job.perSecond * secondsUnderWay);
  requireOpenFiles(most);
  const fromBlock = await newestBlock(job.chain.rpcUrl);
  const log = createStampLog();
  const watch = await watchChain(job.chain.rpcUrl);
  const connections = await openConnections(job.rootUrl, most, log.broken);
  const requestOf = stampRequests(job);
  try {
    const free = [...connections];
    const send = (connection: Connection, dueAt: number): void => {
      const cid = freshCid();
      log.sent();
      connection.send(requestOf(cid), (status, body) => {
        log.answered(cid, dueAt, status, body);
        free.push(connection);
      });
    };
    const began = performance.now();
    const measuredFrom = began + job.warmUpSeconds * 1_000;
    const measuredTo = measuredFrom + job.seconds * 1_000;
    const stampsDue = (job.warmUpSeconds + job.seconds) * job.perSecond;
    let isMarked = false;
    for (let sent = 0; sent < stampsDue; await delay(1)) {
      if (!isMarked && performance.now() >= measuredFrom) {
        isMarked = true;
        mark('begin');
      }
      const due = Math.min(stampsDue, Math.floor(((performance.now() - began) / 1_000) * job.perSecond) + 1);
      for (; sent < due; sent++) {
        // The one free for longest: a server closes a connection that is never used.
        const connection = free.shift();
        if (connection === undefined)
          throw new Error(`no result: it does not keep up, ${most} stamps wait for an answer`);
        send(connection, began + (sent / job.perSecond) * 1_000);
      }
    }
    const acknowledged = await log.allAnswered();
    mark('end');
    const { blockOf, gas } = await auditStamps(
      job.chain,
      fromBlock,
      claimsOf(acknowledged, job.chain, job.collections),
    );
    const measured = acknowledged.filter(({ dueAt }) => dueAt >= measuredFrom && dueAt < measuredTo);
    const times = measured.map(({ dueAt, answeredAt, body }) => {
      const transaction = String(receiptOf(body).transaction_hash);
      const headAt = watch.heads.get(blockOf.get(transaction) ?? -1);
      const pendingAt = watch.pending.get(transaction);
      if (headAt === undefined || pendingAt === undefined)
        throw new Error(`no result: the node did not tell of transaction ${transaction} and of its block`);
      return { whole: answeredAt - dueAt, afterHead: answeredAt - headAt, beforeSubmission: pendingAt - dueAt };
    });
    return {
      stamps: measured.length,
      latencyMs: quantilesOf(times.map(({ whole }) => whole)),
      longestMs: times.reduce((longest, { whole }) => Math.max(longest, whole), 0),
      answeredIn: countBySecond(acknowledged.map(({ answeredAt }) => answeredAt)),
      afterHeadMs: quantilesOf(times.map(({ afterHead }) => afterHead)),
      beforeSubmissionMs: quantilesOf(times.map(({ beforeSubmission }) => beforeSubmission)),
      gas,
    };
  } finally {
    watch.close();
    for (const connection of connections) connection.close();
  }
}

/** @param times of this process's monotonic clock */
function countBySecond(times: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const time of times) {
    const second = Math.floor((performance.timeOrigin + time) / 1_000);
    counts[second] = (counts[second] ?? 0) + 1;
  }
  return counts;
}
