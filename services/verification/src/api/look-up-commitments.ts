import type { Receipt } from '@indelible/messages';
import type { Database } from '@indelible/postgres';
import { UnavailableError } from '@indelible/service-runtime';
import { type Static, Type } from '@sinclair/typebox';
import { findCommitments } from '../projections/commitments.ts';
import type { CursorWatch } from '../projections/cursor-watch.ts';
import { Address, Block, Cid } from './fields.ts';

export const maxCids = 10_000;

export const LookUpRequest = Type.Object(
  {
    cids: Type.Array(Cid, { minItems: 1, maxItems: maxCids }),
    owner: Type.Optional(Address),
    /** The newest block the asking account was told of: the answer is read at it or later (I9). */
    minBlock: Type.Optional(Block),
  },
  { additionalProperties: false },
);
export type LookUpRequest = Static<typeof LookUpRequest>;

/** More would be answered than one response may carry. */
export class TooManyReceiptsError extends Error {
  readonly retryable = false;
  override readonly name = 'TooManyReceiptsError';
}

export type LookUpSettings = {
  /** How long an answer may wait for its block. */
  readonly waitMs: number;
  /** How long a waiting answer trusts in being woken before it looks itself. */
  readonly pollMs: number;
  readonly maxReceipts: number;
};

export const defaultLookUpSettings: LookUpSettings = { waitMs: 2_000, pollMs: 100, maxReceipts: 100_000 };

/**
 * The receipts of CIDs, ordered as asked, then by time; CIDs asked twice count once.
 * @throws UnavailableError when the read model does not reach `minBlock` in time
 * @throws TooManyReceiptsError
 */
export async function lookUpCommitments(
  ports: { readonly database: Pick<Database, 'query'>; readonly watch: CursorWatch },
  request: LookUpRequest,
  settings: LookUpSettings = defaultLookUpSettings,
): Promise<Receipt[]> {
  const { minBlock, owner } = request;
  const query = {
    cids: [...new Set(request.cids)],
    ...(owner === undefined ? {} : { owner }),
    ...(minBlock === undefined ? {} : { minBlock }),
  };
  const deadline = performance.now() + settings.waitMs;
  for (;;) {
    const waiter = minBlock === undefined ? undefined : ports.watch.expect(minBlock);
    try {
      const receipts = await findCommitments(ports.database, query, settings.maxReceipts + 1);
      if (receipts !== undefined && receipts.length > settings.maxReceipts)
        throw new TooManyReceiptsError(`more than ${settings.maxReceipts} receipts would be answered`);
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
