import { setTimeout as delay } from 'node:timers/promises';
import type { Hex } from '@indelible/identifiers';
import type { StampView } from '../../decisions/stamp-view.ts';
import { mayBeUndecided } from '../../decisions/undecided.ts';
import type { FindStamps } from './find-stamps.ts';

/** How long a response waits for requests that stamping has not decided yet. */
const decisionLimitMs = 2_000;
const pauseMs = { first: 100, most: 800 };

export type FindVisiblePorts = {
  readonly findStamps: FindStamps;
  /** Everything published before it is decided; undefined when unknown. */
  readonly handledUntil: () => number | undefined;
  readonly waitLimitMs: number;
  readonly now: () => number;
};

export type VisibleStamps = {
  /** By the ids that were given, in their order. */
  readonly stamps: ReadonlyMap<string, StampView>;
  /** No stamps of this account. */
  readonly unknown: ReadonlySet<string>;
  /** Possibly accepted, and not decided yet. */
  readonly invisible: ReadonlySet<string>;
};

/**
 * An account's stamps by id. A client may get a status resource before stamping has decided its request, and must not
 * get a 404 when it follows the `Location` (I6): requests that may be undecided are waited for.
 * @throws UnavailableError
 */
export async function findVisible(
  ports: FindVisiblePorts,
  account: Hex,
  ids: readonly string[],
  gone: AbortSignal,
): Promise<VisibleStamps> {
  const { now, waitLimitMs } = ports;
  const until = now() + decisionLimitMs;
  const found = new Map<string, StampView>();
  const unknown = new Set<string>();
  for (let pause = pauseMs.first; ; pause = Math.min(2 * pause, pauseMs.most)) {
    // Read first: the look-up then sees what was handled until that moment.
    const handledUntil = ports.handledUntil();
    const open = ids.filter((id) => !found.has(id) && !unknown.has(id));
    const { stamps, others } = await ports.findStamps(account, open, gone);
    const invisible = new Set<string>();
    for (const id of open) {
      const stamp = stamps.get(id);
      if (stamp !== undefined) found.set(id, stamp);
      else if (others.has(id) || !mayBeUndecided(id, { now: now(), handledUntil, waitLimitMs })) unknown.add(id);
      else invisible.add(id);
    }
    if (invisible.size === 0 || gone.aborted || now() >= until)
      return { stamps: inOrder(ids, found), unknown, invisible };
    await delay(pause);
  }
}

const inOrder = (ids: readonly string[], found: ReadonlyMap<string, StampView>): ReadonlyMap<string, StampView> =>
  new Map(
    ids.flatMap((id) => {
      const stamp = found.get(id);
      return stamp === undefined ? [] : [[id, stamp] as const];
    }),
  );
