import { setTimeout as delay } from 'node:timers/promises';
import { type EventInJson, type SeenEvent, seenEventOf } from './public-event.ts';
import type { Subscriber } from './subscriber.ts';

type Page = {
  readonly events: readonly { readonly position: number; readonly event: EventInJson }[];
  readonly next: number;
};

/** A reader of an account's log: it reads on after the page before, whatever becomes of the service meanwhile. */
export function startLogReader(internalUrl: string, account: string): Subscriber {
  const events: SeenEvent[] = [];
  const ending = new AbortController();
  let next = 0;

  async function readPage(): Promise<void> {
    const query = new URLSearchParams({
      account: account.toLowerCase(),
      after: String(next),
      limit: '100',
      wait: '2000',
    });
    const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(20_000)]);
    const response = await fetch(`${internalUrl}/internal/events?${query}`, { signal });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    const page = (await response.json()) as Page;
    for (const { event } of page.events) events.push(seenEventOf(event, account));
    next = page.next;
  }

  const reading = (async () => {
    // The service is unreachable while it is killed, and so is its database: the reader tries again.
    while (!ending.signal.aborted)
      await readPage().catch(() => delay(200, undefined, { signal: ending.signal }).catch(() => {}));
  })();
  return {
    name: `log of ${account}`,
    account,
    once: true,
    inOrder: true,
    events,
    async stop() {
      ending.abort();
      await reading;
    },
  };
}
