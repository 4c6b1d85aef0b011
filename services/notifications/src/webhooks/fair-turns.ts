import type { Hex } from '@indelible/identifiers';
import { createFairShare } from '@indelible/service-runtime';
import type { Delivery } from '../decisions/next-delivery.ts';
import type { Lane } from './lane.ts';

/**
 * Which webhook sends next, of all that have events to send. Accounts take turns, one event each, and within an account its webhooks.
 * Requests in flight are places that accounts share, and the webhooks of an account share its part in the same way: something is always
 * left for the next account, and for an account's next webhook, however long the receivers of the others take (I12).
 */
export function createFairTurns(options: {
  /** Requests in flight, in total. */
  readonly most: number;
  readonly now: () => number;
  /** Sends; resolves when the lane has settled it, and never rejects. */
  readonly send: (lane: Lane, delivery: Delivery) => Promise<void>;
}) {
  const { most, now, send } = options;
  const places = createFairShare(most);
  /** Lanes by account, both in the order of their turns. */
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

  /** Of an account, the next lane that has something and may send it; those that have nothing leave. */
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
    // An account that is added again during this loop comes at the end: that is its next turn.
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
    /** Sends nothing more; resolves when everything in flight has ended. */
    async close(): Promise<void> {
      isOpen = false;
      await Promise.all(underWay);
    },
  };
}
