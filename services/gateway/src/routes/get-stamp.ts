import type { Handler } from '../http/call.ts';
import { HttpError, unavailable } from '../http/errors.ts';
import { stampStatus } from '../responses/stamp-status.ts';
import { type FindVisiblePorts, findVisible } from '../stamping/find-visible.ts';

/** GET /stamps/{id}: another account's id is not found; one that may be accepted and is not decided in time is a 503. */
export function getStampRoute(ports: FindVisiblePorts): Handler {
  return async (call) => {
    const id = (call.params.id as string).toLowerCase();
    const { stamps, invisible } = await findVisible(ports, call.account, [id], call.gone);
    const stamp = stamps.get(id);
    if (stamp !== undefined) return { status: 200, body: stampStatus(stamp) };
    if (invisible.has(id)) throw unavailable('the request is not decided yet; try again');
    throw new HttpError(404, 'stamp not found');
  };
}
