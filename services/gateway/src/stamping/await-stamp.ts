import type { ReplyWaiter } from '@indelible/replies';
import { type Settled, seeReply, seeStatus, settle, type Waiting } from '../decisions/wait-for-stamp.ts';
import type { StatusPoller } from './status-poller.ts';
import type { Wait } from './waiting-room.ts';

/** How a wait ended; at the limit what was learned so far says which stamp goes on. */
export type Awaited = Settled | { readonly kind: 'limit'; readonly stampId: string };

/**
 * Waits for a request's outcome by its replies and, when these do not come, by its status. The waiter must have been
 * registered before the command was published; it is closed here.
 */
export async function awaitStamp(
  ports: { readonly poller: Pick<StatusPoller, 'watch'> },
  request: { readonly waiting: Waiting; readonly waiter: ReplyWaiter; readonly respondAsync: boolean },
  wait: Wait,
): Promise<Awaited> {
  const { waiter, respondAsync } = request;
  let { waiting } = request;
  const ended = Promise.withResolvers<Awaited>();
  const see = (next: Waiting): void => {
    waiting = next;
    const settled = settle(next, respondAsync);
    if (settled !== undefined) ended.resolve(settled);
  };
  // What is known before any reply may be all that is needed.
  see(waiting);
  const forget = wait.onEnd(() => ended.resolve({ kind: 'limit', stampId: waiting.stampId ?? waiting.requestId }));
  const unwatch = ports.poller.watch(waiting.requestId, (stamp) => see(seeStatus(waiting, stamp)));
  waiter.listen((reply) => see(seeReply(waiting, reply)));
  try {
    return await ended.promise;
  } finally {
    unwatch();
    waiter.close();
    forget();
  }
}
