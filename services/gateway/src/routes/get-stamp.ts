import type { Hex } from '@indelible/identifiers';
import type { components } from '../generated/openapi.ts';
import type { Handler } from '../http/call.ts';
import { HttpError } from '../http/errors.ts';
import type { StampView } from '../projections/stamps.ts';
import { commitmentReceipt } from '../responses/commitment-receipt.ts';
import { fileObjectIn } from '../responses/file-object.ts';

/** GET /stamps/{id}: another account's id is not found. */
export function getStampRoute(options: {
  readonly findStamp: (account: Hex, id: string) => Promise<StampView | undefined>;
}): Handler {
  return async (call) => {
    const stamp = await options.findStamp(call.account, (call.params.id as string).toLowerCase());
    if (stamp === undefined) throw new HttpError(404, 'stamp not found');
    return { status: 200, body: statusBody(stamp) };
  };
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
