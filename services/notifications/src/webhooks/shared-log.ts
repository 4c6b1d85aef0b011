import type { Hex } from '@indelible/identifiers';
import type { LogRow } from '../tables/log.ts';
import type { ReadLogRows } from '../use-cases/read-events.ts';

type Row = Omit<LogRow, 'account'>;

/** The last-read part of a log: consecutive rows, after `from` up to `to`. */
type Tail = {
  rows: Row[];
  from: number;
  to: number;
  /** Nothing was after `to`, and no notification has come since. */
  isAll: boolean;
  /** Number of growth notifications. */
  heard: number;
  reading: Promise<void> | undefined;
};

/** Events kept per account, and in total; an account counts as one, so that their number is bounded too. */
const keptOfAccount = 2_000;
const keptInAll = 10_000;
/** Rows per query. */
const rowsAtOnce = 20;

/**
 * The ends of logs, in memory: an account's webhooks are about equally far, and each row is read once for all of them.
 * Older parts are read for each separately, with `readBack`.
 */
export function createSharedLog(read: ReadLogRows, readBack = read) {
  /** Least recently read first. */
  const tails = new Map<Hex, Tail>();

  function tailOf(account: Hex, after: number): Tail {
    const known = tails.get(account);
    const isPast = known !== undefined && after > known.to;
    const tail =
      known === undefined || isPast
        ? { rows: [], from: after, to: after, isAll: false, heard: 0, reading: undefined }
        : known;
    tails.delete(account);
    tails.set(account, tail);
    return tail;
  }

  /** Runs one query at a time per account; callers that arrive meanwhile share its result. */
  function readOn(account: Hex, tail: Tail): Promise<void> {
    const { heard } = tail;
    tail.reading ??= (async () => {
      const rows = await read(account, tail.to);
      // A notification came between the two queries.
      const news = rows.filter(({ position }) => position > tail.to);
      tail.rows.push(...news);
      tail.to = news.at(-1)?.position ?? tail.to;
      if (tail.heard === heard) tail.isAll = rows.length === 0;
      forget(tail, keptOfAccount);
      forgetOthers();
    })().finally(() => {
      if (tail.heard === heard) tail.reading = undefined;
    });
    return tail.reading;
  }

  function forgetOthers(): void {
    let kept = 0;
    for (const { from, to } of tails.values()) kept += 1 + to - from;
    for (const [account, { from, to }] of tails) {
      if (kept <= keptInAll) return;
      tails.delete(account);
      kept -= 1 + to - from;
    }
  }

  return {
    /** The next rows of an account's log after a position, in order; empty at the end. */
    async read(account: Hex, after: number): Promise<readonly Row[]> {
      const tail = tailOf(account, after);
      if (after < tail.from) return readBack(account, after);
      if (after === tail.to && !tail.isAll) await readOn(account, tail);
      // It may have been dropped, if much was read meanwhile.
      if (after < tail.from) return readBack(account, after);
      const first = tail.rows.findIndex(({ position }) => position > after);
      return first < 0 ? [] : tail.rows.slice(first, first + rowsAtOnce);
    },
    /** These accounts' logs have grown; undefined: any may have. */
    hearGrown(accounts: readonly Hex[] | undefined): void {
      for (const account of accounts ?? tails.keys()) {
        const tail = tails.get(account);
        if (tail === undefined) continue;
        tail.isAll = false;
        tail.heard += 1;
        // What is being read may have begun before.
        tail.reading = undefined;
      }
    },
  };
}
export type SharedLog = ReturnType<typeof createSharedLog>;

function forget(tail: Tail, kept: number): void {
  let first = 0;
  for (; first < tail.rows.length - 1 && tail.to - tail.from > kept; first++)
    tail.from = (tail.rows[first] as Row).position;
  tail.rows.splice(0, first);
}
