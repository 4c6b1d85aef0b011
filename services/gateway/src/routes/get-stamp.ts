import { setTimeout as delay } from 'node:timers/promises';
import { type Hex, timeOfId } from '@indelible/identifiers';
import type { components } from '../generated/openapi.ts';
import type { Call, Handler } from '../http/call.ts';
import { HttpError, unavailable } from '../http/errors.ts';
import type { StampView } from '../projections/stamps.ts';
import { commitmentReceipt } from '../responses/commitment-receipt.ts';
import { fileObjectIn } from '../responses/file-object.ts';

/** So long an answer waits for a stamp that the read model may not show yet. */
const viewLimitMs = 2_000;
const pauseMs = 100;
/** An id that was made within this time may be that of a stamp whose events the read model has yet to read. */
const freshMs = 3_600_000;

/**
 * GET /stamps/{id}: another account's id is not found. A receipt may be answered before the read model shows its stamp, and the
 * client that follows its `Location` must not be told that there is none (I9): a fresh id is waited for, and is a 503 then.
 */
export function getStampRoute(options: {
  readonly findStamp: (account: Hex, id: string) => Promise<StampView | undefined>;
  /** Whether the stamp is any account's. */
  readonly isStampKnown: (id: string) => Promise<boolean>;
  readonly now: () => number;
}): Handler {
  const { findStamp, now } = options;

  async function find(call: Call, id: string): Promise<StampView> {
    const until = now() + viewLimitMs;
    for (;;) {
      const stamp = await findStamp(call.account, id);
      if (stamp !== undefined) return stamp;
      const madeAt = timeOfId(id) ?? Number.NEGATIVE_INFINITY;
      if (Math.abs(now() - madeAt) > freshMs || (await options.isStampKnown(id)))
        throw new HttpError(404, 'stamp not found');
      if (call.gone.aborted || now() >= until) throw unavailable('the stamp is not visible yet; try again');
      await delay(pauseMs);
    }
  }

  return async (call) => ({
    status: 200,
    body: statusBody(await find(call, (call.params.id as string).toLowerCase())),
  });
}

const statusBody = (stamp: StampView): components['schemas']['StampStatus'] => ({
  id: stamp.id,
  status: stamp.status,
  requested_at: stamp.requestedAt.toISOString(),
  object_cid: stamp.objectCid,
  set_cid: stamp.setCid,
  ...(stamp.receipt === null ? {} : { commitment_receipt: commitmentReceipt(stamp.receipt) }),
  ...fileObjectIn(stamp),
  ...errorOf(stamp),
});

/** Why it failed, or why it has no file. */
function errorOf({ refusal, fileFault, filePath }: StampView): { error?: string } {
  if (refusal !== null) return { error: refusal.message };
  return fileFault === null || filePath !== null ? {} : { error: fileFault };
}
