import type { Mark } from '../measuring/use.ts';
import { withCallers } from './callers.ts';
import { auditStamps, newestBlock, type StampedChain } from './stamp-audit.ts';
import type { Target } from './stamp-request.ts';
import { type Duration, type LoadOutcome, outcomeOf, passWindow, within } from './window.ts';

const confirmedWithinMs = 120_000;

export type AcceptJob = Target &
  Duration & {
    readonly connections: number;
    /** Requests per second at set times; if omitted, each connection sends the next after a response. */
    readonly perSecond?: number;
    /** The chain that must hold everything accepted exactly once in the end; null if the server does not stamp. */
    readonly chain: StampedChain | null;
  };

/**
 * Sends requests until the measured seconds are over, then waits for everything accepted.
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
