import { type FindVisiblePorts, findVisible } from '../../use-cases/stamping/find-visible.ts';
import type { Handler } from '../edge/call.ts';
import type { components } from '../generated/openapi.ts';
import { stampStatus } from '../responses/stamp-status.ts';

/**
 * POST /stamps/status: the statuses of many stamps; ids that are not the account's, or not decided in time, are listed
 * apart.
 */
export function getStampStatusesRoute(ports: FindVisiblePorts): Handler {
  return async (call) => {
    const request = call.json as components['schemas']['StampStatusesRequest'];
    const ids = [...new Set(request.ids.map((id) => id.toLowerCase()))];
    const { stamps } = await findVisible(ports, call.account, ids, call.gone);
    const body: components['schemas']['StampStatuses'] = {
      stamps: [...stamps].map(([id, stamp]) => ({ requested_id: id, stamp: stampStatus(stamp) })),
      unknown_ids: ids.filter((id) => !stamps.has(id)),
    };
    return { status: 200, body };
  };
}
