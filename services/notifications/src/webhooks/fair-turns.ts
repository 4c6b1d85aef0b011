import type { Hex } from '@indelible/identifiers';
import type { Delivery, Lane } from './lane.ts';

/**
 * Who sends next, of all webhooks that have something to send: one event in turn, so many requests at once of an account, and in all. A
 * receiver that is slow has its own requests under way for long, and nobody else's.
 */
export function createFairTurns(options: {
  readonly most: number;
  readonly mostOfAccount: number;
  readonly now: () => number;
  /** Sends; resolves when the lane has settled it, and never rejects. */
  readonly send: (lane: Lane, delivery: Delivery) => Promise<void>;
}) {
  const { most, mostOfAccount, now, send } = options;
  /** In the order of their turns. */
  const ready = new Set<Lane>();
  const ofAccount = new Map<Hex, number>();
  const underWay = new Set<Promise<void>>();
  let isOpen = true;

  function begin(lane: Lane, delivery: Delivery): void {
    const { account } = lane.webhook;
    ofAccount.set(account, (ofAccount.get(account) ?? 0) + 1);
    const sending: Promise<void> = send(lane, delivery).finally(() => {
      underWay.delete(sending);
      const left = (ofAccount.get(account) ?? 1) - 1;
      if (left === 0) ofAccount.delete(account);
      else ofAccount.set(account, left);
      offer(lane);
    });
    underWay.add(sending);
  }

  /** The lane may have something to send. */
  function offer(lane: Lane): void {
    ready.add(lane);
    pump();
  }

  function pump(): void {
    const passedOver: Lane[] = [];
    // A lane that is added again while this goes on comes at the end: that is its next turn.
    for (const lane of ready) {
      if (!isOpen || underWay.size >= most) break;
      ready.delete(lane);
      if ((ofAccount.get(lane.webhook.account) ?? 0) >= mostOfAccount) {
        passedOver.push(lane);
        continue;
      }
      const delivery = lane.next(now());
      if (delivery === undefined) continue;
      begin(lane, delivery);
      ready.add(lane);
    }
    for (const lane of passedOver) ready.add(lane);
  }

  return {
    offer,
    inFlight: (): number => underWay.size,
    /** Begins nothing more; resolves when all that is under way has ended. */
    async close(): Promise<void> {
      isOpen = false;
      await Promise.all(underWay);
    },
  };
}
