import type { Hex } from '@indelible/identifiers';
import { createFairShare } from '@indelible/service-runtime';
import type { Delivery } from '../decisions/next-delivery.ts';
import type { Lane } from './lane.ts';

/**
 * Decides which webhook sends next. Accounts take turns, one event each, and so do the webhooks of an account. Requests
 * in flight are places that accounts share, and an account's webhooks share its part in the same way: some are always
 * left for the next account, and for an account's next webhook, however slow the others' receivers are (I12).
 */
export function createFairTurns(options: {
  /** Total requests in flight. */
  readonly most: number;
  readonly now: () => number;
  /** Sends; resolves once the lane has settled it, and never rejects. */
  readonly send: (lane: Lane, delivery: Delivery) => Promise<void>;
}) {
  const { most, now, send } = options;
  const places = createFairShare(most);
  /** Lanes by account, both in turn order. */
  const ready = new Map<Hex, Set<Lane>>();
  const underWay = new Set<Promise<void>>();
  let isOpen = true;

  function begin(account: Hex, lane: Lane, delivery: Delivery): void {
    places.take(account);
    const sending: Promise<void> = send(lane, delivery).finally(() => {
      underWay.delete(sending);
      places.give(account);
      offer(lane);
    });
    underWay.add(sending);
  }

  /** The lane may have something to send. */
  function offer(lane: Lane): void {
    const { account } = lane.webhook;
    const lanes = ready.get(account);
    if (lanes === undefined) ready.set(account, new Set([lane]));
    else lanes.add(lane);
    pump();
  }

  /** Starts the account's next lane that has something and may send it; those with nothing leave. */
  function beginNext(account: Hex, lanes: Set<Lane>): boolean {
    const room = places.room(account, most);
    for (const lane of lanes) {
      if (room === 0) return false;
      if (lane.inFlight() >= room) continue;
      lanes.delete(lane);
      const delivery = lane.next(now());
      if (delivery === undefined) continue;
      begin(account, lane, delivery);
      lanes.add(lane);
      return true;
    }
    return false;
  }

  function pump(): void {
    const passedOver: [Hex, Set<Lane>][] = [];
    // An account added again during this loop goes to the end: that is its next turn.
    for (const [account, lanes] of ready) {
      if (!isOpen || places.taken() >= most) break;
      ready.delete(account);
      if (beginNext(account, lanes)) ready.set(account, lanes);
      else if (lanes.size > 0) passedOver.push([account, lanes]);
    }
    for (const [account, lanes] of passedOver) ready.set(account, lanes);
  }

  return {
    offer,
    inFlight: (): number => underWay.size,
    /** Stops sending; resolves when everything in flight has ended. */
    async close(): Promise<void> {
      isOpen = false;
      await Promise.all(underWay);
    },
  };
}
