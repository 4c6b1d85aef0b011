import { setTimeout as wait } from 'node:timers/promises';
import { createBackoff } from '@indelible/service-runtime';
import { getBlockByNumber, type Head } from '../reads/blocks.ts';
import type { Rpc, RpcLogger } from '../rpc/port.ts';
import { subscribeNewHeads } from './head-subscription.ts';

export type FollowHeadSettings = {
  readonly rpc: Rpc;
  /** http(s) or ws(s): the scheme of the subscription is derived. Unused when `wsUrls` is given. */
  readonly urls: readonly string[];
  /** ws(s), tried in turn; none means polling only. */
  readonly wsUrls?: readonly string[];
  /** Between two polls while there is no subscription. */
  readonly pollIntervalMs: number;
  /** How long a subscription may be silent before the node is polled; at least 5 s unless given. */
  readonly watchdogMs?: number;
  readonly signal: AbortSignal;
  /** At least once per head that lasts a while; may repeat, skip, and go back. */
  readonly onHead: (head: Head) => void;
  readonly logger?: RpcLogger;
};

/** `done` resolves when the signal has aborted and the connections are closed. */
export type HeadFollower = { readonly done: Promise<void> };

/**
 * Reports new heads as soon as they are known: by a subscription that is restored when it breaks, by polling while
 * there is none, and by polling when it has been silent. It only wakes: it may not report every block. Node faults are
 * logged and survived.
 * @throws TypeError at once for an invalid endpoint URL; the message does not contain its text
 */
export function followHead(settings: FollowHeadSettings): HeadFollower {
  const { rpc, pollIntervalMs, signal, logger } = settings;
  const watchdogMs = settings.watchdogMs ?? Math.max(5_000, 4 * pollIntervalMs);
  const wsUrls = settings.wsUrls ?? settings.urls.map(subscriptionUrl);
  if (!wsUrls.every((url) => URL.canParse(url) && /^wss?:$/.test(new URL(url).protocol)))
    throw new TypeError('an endpoint of head subscriptions must be a URL of ws or wss');
  let subscribed = false;
  let heardAt = performance.now();
  let last: Head | undefined;
  let breakSubscription = new AbortController();
  let wakePoll = new AbortController();

  const tell = (head: Head): void => {
    heardAt = performance.now();
    if (head.hash === last?.hash) return;
    last = head;
    settings.onHead(head);
  };

  const subscribe = async (): Promise<void> => {
    for (let attempt = 0; wsUrls.length > 0 && !signal.aborted; attempt++) {
      breakSubscription = new AbortController();
      const why = await subscribeNewHeads({
        url: wsUrls[attempt % wsUrls.length] as string,
        signal: AbortSignal.any([signal, breakSubscription.signal]),
        onOpen: () => {
          subscribed = true;
          attempt = 0;
          // Blocks from before the subscription are requested once.
          wakePoll.abort();
        },
        onHead: tell,
      });
      subscribed = false;
      wakePoll.abort();
      if (signal.aborted) return;
      logger?.warn({ fault: why }, 'Subscription to new heads ended');
      await pause(backoff(attempt + 1), signal);
    }
  };

  const ask = async (): Promise<void> => {
    const doubted = subscribed && performance.now() - heardAt >= watchdogMs;
    const known = last;
    try {
      const head = await getBlockByNumber(rpc, 'latest', { signal });
      if (head === null) return;
      // The subscription has not reported this head in all that time: it is dead, though still connected.
      if (doubted && last === known && head.hash !== known?.hash) breakSubscription.abort();
      tell(head);
    } catch (error) {
      if (signal.aborted) return;
      logger?.warn({ fault: error instanceof Error ? error.message : 'unknown' }, 'Head could not be read');
    }
  };

  const poll = async (): Promise<void> => {
    while (!signal.aborted) {
      wakePoll = new AbortController();
      const wake = AbortSignal.any([signal, wakePoll.signal]);
      await ask();
      const askedAt = performance.now();
      const dueIn = (): number =>
        (subscribed ? Math.max(heardAt, askedAt) + watchdogMs : askedAt + pollIntervalMs) - performance.now();
      for (let left = dueIn(); left > 0 && !wake.aborted; left = dueIn()) await pause(left, wake);
    }
  };

  return { done: Promise.all([subscribe(), poll()]).then(() => undefined) };
}

/** http://host:8545/key → ws://host:8545/key, user information included. */
function subscriptionUrl(url: string): string {
  return url.replace(/^http/, 'ws');
}

const backoff = createBackoff({ firstMs: 250, ceilingMs: 30_000 });

/** Waits, or until the signal aborts, whichever is first. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  wait(ms, undefined, { signal }).catch(() => undefined);
