import { setTimeout as delay } from 'node:timers/promises';
import { type Hex, timeOfId } from '@indelible/identifiers';
import type { StampView } from '../projections/stamps.ts';

/** So long an answer waits for stamps that the read model may not show yet. */
const viewLimitMs = 2_000;
const pauseMs = 100;
/** An id that was made within this time may be that of a stamp whose events the read model has yet to read. */
const freshMs = 3_600_000;

export type FindVisiblePorts = {
  readonly findStamps: (account: Hex, ids: readonly string[]) => Promise<ReadonlyMap<string, StampView>>;
  /** Which of these are stamps of any account. */
  readonly knownStamps: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly now: () => number;
};

export type VisibleStamps = {
  /** By the ids that were given, in their order. */
  readonly stamps: ReadonlyMap<string, StampView>;
  /** No stamps of this account. */
  readonly unknown: ReadonlySet<string>;
  /** Fresh ids that nothing was visible of in time. */
  readonly invisible: ReadonlySet<string>;
};

/**
 * An account's stamps by their ids. A receipt may be answered before the read model shows its stamp, and the client that
 * follows its `Location` must not read that there is none (I9): fresh ids are waited for.
 */
export async function findVisible(
  ports: FindVisiblePorts,
  account: Hex,
  ids: readonly string[],
  gone: AbortSignal,
): Promise<VisibleStamps> {
  const { now } = ports;
  const until = now() + viewLimitMs;
  const found = new Map<string, StampView>();
  const unknown = new Set<string>();
  for (;;) {
    const open = ids.filter((id) => !found.has(id) && !unknown.has(id));
    for (const [id, stamp] of await ports.findStamps(account, open)) found.set(id, stamp);
    const missing = open.filter((id) => !found.has(id));
    for (const id of missing) if (!isFresh(id, now())) unknown.add(id);
    const fresh = missing.filter((id) => !unknown.has(id));
    if (fresh.length > 0) for (const id of await ports.knownStamps(fresh)) unknown.add(id);
    const invisible = new Set(fresh.filter((id) => !unknown.has(id)));
    if (invisible.size === 0 || gone.aborted || now() >= until)
      return { stamps: inOrder(ids, found), unknown, invisible };
    await delay(pauseMs);
  }
}

const isFresh = (id: string, now: number): boolean =>
  Math.abs(now - (timeOfId(id) ?? Number.NEGATIVE_INFINITY)) <= freshMs;

const inOrder = (ids: readonly string[], found: ReadonlyMap<string, StampView>): ReadonlyMap<string, StampView> =>
  new Map(
    ids.flatMap((id) => {
      const stamp = found.get(id);
      return stamp === undefined ? [] : [[id, stamp] as const];
    }),
  );
