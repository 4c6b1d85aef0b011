import { setTimeout as delay } from 'node:timers/promises';
import { eventTopics } from '@indelible/commitment-contract';
import type { Hex } from '@indelible/identifiers';
import { callRpc } from '@indelible/local-infrastructure';
import { quantilesOf } from '../measuring/quantiles.ts';
import { openConnections } from './http-connection.ts';
import type { Mark } from './jobs.ts';
import { requireOpenFiles } from './open-files.ts';
import type { AcceptJob, AcceptOutcome } from './part-jobs.ts';
import { auditStamps, newestBlock } from './stamp-audit.ts';
import type { StampedChain } from './stamp-jobs.ts';
import { freshCid } from './stamp-request.ts';

/** Longer than a service may take to accept. */
const lastAnswerWithinMs = 20_000;
const confirmedWithinMs = 120_000;
const lookMs = 100;
const askMs = 60_000;

/**
 * Requests are sent and answered until the measured seconds are over; then everything accepted is waited for.
 * @param mark told when the measured seconds begin, and when the last request was answered after them
 * @throws Error for any answer but 202, and when something accepted is lost or doubled on the chain
 */
export async function runAccept(job: AcceptJob, mark: (place: Mark) => void): Promise<AcceptOutcome> {
  requireOpenFiles(job.connections);
  const fromBlock = job.chain === null ? 0 : await newestBlock(job.chain.rpcUrl);
  const accepted: { readonly cid: string; readonly sentAt: number; readonly answeredAt: number }[] = [];
  const faults: string[] = [];
  let underWay = 0;
  let lastAnswer = '';
  let isOver = false;
  const connections = await openConnections(job.rootUrl, job.connections, ({ message }) => faults.push(message));
  const requestOf = requests(job);
  try {
    for (const connection of connections) {
      const sendNext = (): void => {
        const cid = freshCid();
        const sentAt = performance.now();
        underWay++;
        connection.send(requestOf(cid), (status, body) => {
          underWay--;
          if (status === 202) accepted.push({ cid, sentAt, answeredAt: performance.now() });
          else faults.push(`${status} ${body}`);
          lastAnswer = body;
          if (!isOver) sendNext();
        });
      };
      sendNext();
    }
    await delay(job.warmUpSeconds * 1_000);
    mark('begin');
    const began = performance.now();
    await delay(job.seconds * 1_000);
    const ended = performance.now();
    isOver = true;
    for (const until = performance.now() + lastAnswerWithinMs; underWay > 0 && faults.length === 0; await delay(10))
      if (performance.now() > until) faults.push('no answer in time');
    mark('end');
    if (faults.length > 0)
      throw new Error(`no result: beside ${accepted.length} × 202 there were ${faults.length} faults: ${faults[0]}`);
    if (job.chain !== null) {
      const cids = accepted.map(({ cid }) => cid);
      await untilOnChain(job.chain, fromBlock, cids);
      await untilConfirmed(job, lastAnswer);
      const claims = cids.map((cid) => ({ cid, isOf: () => true }));
      await auditStamps(job.chain, fromBlock, claims);
    }
    const measured = accepted.filter(({ answeredAt }) => answeredAt >= began && answeredAt < ended);
    return {
      accepted: accepted.length,
      perSecond: measured.length / ((ended - began) / 1_000),
      latencyMs: quantilesOf(accepted.map(({ sentAt, answeredAt }) => answeredAt - sentAt)),
    };
  } finally {
    isOver = true;
    for (const connection of connections) connection.close();
  }
}

/** The form of a stamp by its CID, each request whole in one string. */
function requests({ rootUrl, apiKey }: AcceptJob): (cid: string) => string {
  const head =
    `POST /api/v1/stamps HTTP/1.1\r\nHost: ${new URL(rootUrl).host}\r\nAuthorization: Bearer ${apiKey}\r\n` +
    'Prefer: respond-async\r\nContent-Type: application/x-www-form-urlencoded\r\n' +
    `Content-Length: ${'data_cid='.length + 66}\r\n\r\ndata_cid=`;
  return (cid) => head + cid;
}

/** @throws Error when some are not on the chain in time: they are lost */
async function untilOnChain(chain: StampedChain, fromBlock: number, cids: readonly string[]): Promise<void> {
  const open = new Set(cids);
  const deadline = performance.now() + confirmedWithinMs;
  const topics = [eventTopics.AddObject, `0x${chain.user.slice(2).padStart(64, '0')}`];
  for (let next = fromBlock; open.size > 0; ) {
    if (performance.now() > deadline) throw new Error(`no result: ${open.size} accepted stamps are not on the chain`);
    const newest = await newestBlock(chain.rpcUrl);
    if (newest < next) {
      await delay(lookMs);
      continue;
    }
    const block = `0x${next.toString(16)}`;
    const logs = await callRpc<{ topics: Hex[] }[]>(
      ...([chain.rpcUrl, 'eth_getLogs'] as const),
      [{ address: chain.contract, topics, fromBlock: block, toBlock: block }],
      AbortSignal.timeout(askMs),
    );
    for (const log of logs) open.delete(log.topics[2] as string);
    next++;
  }
}

/** The status resource of one of the last accepted tells of it in the end (I6). */
async function untilConfirmed({ rootUrl, apiKey }: AcceptJob, answer: string): Promise<void> {
  const { id } = JSON.parse(answer) as { id: string };
  const url = new URL(`/api/v1/stamps/${id}`, rootUrl);
  const deadline = performance.now() + confirmedWithinMs;
  for (;;) {
    const response = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
    const { status } = (await response.json()) as { status?: string };
    if (status === 'confirmed' || status === 'finalized') return;
    if (performance.now() > deadline) throw new Error(`no result: ${url.href} tells ${status}`);
    await delay(lookMs);
  }
}
