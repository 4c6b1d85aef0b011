import type { Hex } from '@indelible/identifiers';
import type { StampFacts } from '@indelible/messages';
import { createFairQueue, together, UnavailableError } from '@indelible/service-runtime';
import { type StampView, viewOf } from '../../decisions/stamp-view.ts';
import { type FindStampFacts, maxLookedUp } from '../../neighbours/stamping.ts';
import type { FindFiles } from '../../neighbours/storage.ts';

/** Queries of one process at once, so that they do not slow down stamping. */
const atOnce = 4;
/** Queries of one account that may wait for a turn: while stamping hangs, a client that retries adds no more. */
const maxQueued = 8;

export type FoundStamps = {
  /** The account's own, by the given ids: of stamps, or of requests that joined or repeated them, or were refused. */
  readonly stamps: ReadonlyMap<string, StampView>;
  /** Ids requested by other accounts. */
  readonly others: ReadonlySet<string>;
};

/**
 * An account's stamps by id, with their files.
 * @param ids at most 1,000
 * @param gone aborts when the client disconnects: ids that only disconnected clients requested are not queried
 * @throws UnavailableError when stamping, or storage for a stamp that may have a file, does not respond, and when too
 *   many of the account wait
 */
export type FindStamps = (account: Hex, ids: readonly string[], gone: AbortSignal) => Promise<FoundStamps>;

type Turn = {
  readonly ids: Set<string>;
  /** Of all that share it. */
  readonly gone: AbortSignal[];
  readonly found: Promise<FoundStamps>;
};

/** Accounts take turns; requests of one account that wait for its turn share a query (I12). */
export function createFindStamps(ports: {
  readonly findFacts: FindStampFacts;
  readonly findFiles: FindFiles;
  /** Gets accounts with a confirmed stamp. */
  readonly onConfirmed: (account: Hex) => void;
}): FindStamps {
  const inFairTurns = createFairQueue(atOnce);
  /** In turn order. */
  const queued = new Map<Hex, Turn[]>();

  async function read(account: Hex, ids: readonly string[]): Promise<FoundStamps> {
    const facts = await ports.findFacts(ids);
    const own = [...facts].filter(([, stamp]) => stamp.account === account);
    if (own.some(([, { receipt }]) => receipt !== null)) ports.onConfirmed(account);
    const mayHaveFiles = own.flatMap(([, { id, wasConfirmed }]) => (wasConfirmed ? [id] : []));
    const files = mayHaveFiles.length === 0 ? new Map() : await ports.findFiles([...new Set(mayHaveFiles)]);
    return {
      stamps: new Map(own.map(([id, stamp]) => [id, viewOf(stamp, files.get(stamp.id))])),
      others: new Set([...facts].flatMap(([id, stamp]) => (stamp.account === account ? [] : [id]))),
    };
  }

  function begin(account: Hex): void {
    const [, ...later] = queued.get(account) ?? [];
    if (later.length === 0) queued.delete(account);
    else queued.set(account, later);
  }

  return async (account, ids, gone) => {
    const turns = queued.get(account) ?? [];
    const last = turns.at(-1);
    if (last !== undefined && last.ids.size + ids.length <= maxLookedUp) {
      for (const id of ids) last.ids.add(id);
      last.gone.push(gone);
      return last.found;
    }
    if (turns.length >= maxQueued) throw new UnavailableError('too many look-ups of this account wait for their turn');
    const together = { ids: new Set(ids), gone: [gone] };
    const found = inFairTurns(account, async () => {
      begin(account);
      if (together.gone.every(({ aborted }) => aborted))
        throw new UnavailableError('all clients of this look-up have disconnected');
      return read(account, [...together.ids]);
    });
    queued.set(account, [...turns, { ...together, found }]);
    return found;
  };
}

/**
 * Stamping's facts on one request of any account; calls in the same turn of the event loop share a look-up. @throws
 * UnavailableError
 */
export const createFactsOf = (findFacts: FindStampFacts): ((id: string) => Promise<StampFacts | undefined>) =>
  together(async (ids: readonly string[]) => {
    const found = await findFacts([...new Set(ids)]);
    return ids.map((id) => found.get(id));
  });
