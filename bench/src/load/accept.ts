import { setTimeout as delay } from 'node:timers/promises';
import type { Mark } from '../measuring/use.ts';
import { withCallers } from './callers.ts';
import { auditStamps, newestBlock, type StampedChain } from './stamp-audit.ts';
import type { Target } from './stamp-request.ts';
import { type Duration, type LoadOutcome, outcomeOf, passWindow, within } from './window.ts';

const confirmedWithinMs = 120_000;

export type AcceptJob = Target &
  Duration & {
    readonly connections: number;
    /** So many a second at set times in place of the next when the last was answered. */
    readonly perSecond?: number;
    /** Where everything accepted must stand in the end, exactly once; null where nothing stamps. */
    readonly chain: StampedChain | null;
  };

/**
 * Requests are sent and answered until the measured seconds are over; then everything accepted is waited for.
 * @param mark hears when the measured seconds begin, and when they end
 * @throws Error for any answer but 202, and when something accepted is lost or doubled on the chain
 */
export async function accept(job: AcceptJob, mark: (place: Mark) => void): Promise<LoadOutcome> {
  const fromBlock = job.chain === null ? 0 : await newestBlock(job.chain.rpcUrl);
  const header = 'Prefer: respond-async\r\n';
  return withCallers({ ...job, status: 202, header }, async (callers) => {
    const window = await passWindow(job, mark, callers.failed);
    const accepted = await callers.finish();
    if (job.chain !== null) {
      await untilConfirmed(job, accepted.at(-1)?.body ?? '');
      const claims = accepted.map(({ cid }) => ({ cid, isOf: () => true }));
      await auditStamps(job.chain, fromBlock, claims, confirmedWithinMs);
    }
    return outcomeOf(within(accepted, window, job.perSecond === undefined ? 'answeredAt' : 'dueAt'), window);
  });
}

/** The status resource of one of the last accepted says so in the end (I6). */
async function untilConfirmed({ rootUrl, apiKey }: Target, answer: string): Promise<void> {
  const { id } = JSON.parse(answer) as { id: string };
  const url = new URL(`/api/v1/stamps/${id}`, rootUrl);
  for (const deadline = performance.now() + confirmedWithinMs; ; await delay(100)) {
    const response = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
    const { status } = (await response.json()) as { status?: string };
    if (status === 'confirmed' || status === 'finalized') return;
    if (performance.now() > deadline) throw new Error(`no result: ${url.href} says ${status}`);
  }
}
