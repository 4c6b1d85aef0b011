import type { Mark } from '../measuring/use.ts';
import { withCallers } from './callers.ts';
import { auditStamps, newestBlock, type StampedChain } from './stamp-audit.ts';
import type { Target } from './stamp-request.ts';
import { type Duration, type LoadOutcome, outcomeOf, passWindow, within } from './window.ts';

const confirmedWithinMs = 120_000;

export type AcceptJob = Target &
  Duration & {
    readonly connections: number;
    /** Requests a second at set times; left out: each connection sends the next when the last was answered. */
    readonly perSecond?: number;
    /** The chain on which everything accepted must be in the end, exactly once; null for a server that does not stamp. */
    readonly chain: StampedChain | null;
  };

/**
 * Requests are sent and answered until the measured seconds are over; then everything accepted is waited for.
 * @param mark called when the measured seconds begin, and when they end
 * @throws Error for any answer but 202, and when something accepted is lost or doubled on the chain
 */
export async function accept(job: AcceptJob, mark: (place: Mark) => void): Promise<LoadOutcome> {
  const fromBlock = job.chain === null ? 0 : await newestBlock(job.chain.rpcUrl);
  const header = 'Prefer: respond-async\r\n';
  return withCallers({ ...job, status: 202, header }, async (callers) => {
    const window = await passWindow(job, mark, callers.failed);
    const accepted = await callers.finish();
    if (job.chain !== null) {
      const claims = accepted.map(({ cid }) => ({ cid, isOf: () => true }));
      await auditStamps(job.chain, fromBlock, claims, confirmedWithinMs);
    }
    return outcomeOf(within(accepted, window, job.perSecond === undefined ? 'answeredAt' : 'dueAt'), window);
  });
}
