import { HttpError, unavailable } from '../../errors/http-error.ts';
import { type FindVisiblePorts, findVisible } from '../../use-cases/stamping/find-visible.ts';
import type { Handler } from '../edge/call.ts';
import { stampStatus } from '../responses/stamp-status.ts';

/** GET /stamps/{id}: 404 for another account's id; 503 for one that may be accepted and is not decided in time. */
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
