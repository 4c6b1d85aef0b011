import type { Receipt } from '@indelible/messages';
import type { Database } from '@indelible/postgres';
import { UnavailableError } from '@indelible/service-runtime';
import { type CommitmentQuery, findCommitments } from '../projections/commitments.ts';
import type { CursorWatch } from '../projections/cursor-watch.ts';

export type LookUpPorts = { readonly database: Pick<Database, 'query'>; readonly watch: CursorWatch };

export type LookUpSettings = {
  /** How long a response may wait for its block. */
  readonly waitMs: number;
  /** After this time a waiting request reads the cursor even if not woken. */
  readonly pollMs: number;
};

const defaultLookUpSettings: LookUpSettings = { waitMs: 2_000, pollMs: 100 };

/**
 * The first receipts of CIDs, by the order of the CIDs, then by time; duplicate CIDs count once.
 * @throws UnavailableError when the read model does not reach `minBlock` in time
 */
export async function lookUpCommitments(
  ports: LookUpPorts,
  { limit, ...request }: CommitmentQuery & { readonly limit: number },
  settings: LookUpSettings = defaultLookUpSettings,
): Promise<Receipt[]> {
  const { minBlock } = request;
  const query = { ...request, cids: [...new Set(request.cids)] };
  const deadline = performance.now() + settings.waitMs;
  for (;;) {
    const waiter = minBlock === undefined ? undefined : ports.watch.expect(minBlock);
    try {
      const receipts = await findCommitments(ports.database, query, limit);
      if (receipts !== undefined) return receipts;
      const left = deadline - performance.now();
      if (left <= 0)
        throw new UnavailableError(`block ${minBlock?.number} of chain ${minBlock?.chainId} is not projected yet`);
      await waiter?.woken(Math.min(left, settings.pollMs));
    } finally {
      waiter?.close();
    }
  }
}
