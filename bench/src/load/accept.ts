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
      const claims = accepted.map(({ cid }) => ({ cid, isOf: () => true }));
      await auditStamps(job.chain, fromBlock, claims, confirmedWithinMs);
    }
    return outcomeOf(within(accepted, window, job.perSecond === undefined ? 'answeredAt' : 'dueAt'), window);
  });
}
