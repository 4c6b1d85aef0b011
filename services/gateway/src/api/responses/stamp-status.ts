import type { StampView } from '../../decisions/stamp-view.ts';
import type { components } from '../generated/openapi.ts';
import { commitmentReceipt } from './commitment-receipt.ts';
import { fileObjectIn } from './file-object.ts';

/** A stamp as its status resource shows it. */
export const stampStatus = (stamp: StampView): components['schemas']['StampStatus'] => ({
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
