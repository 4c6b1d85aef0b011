import type { Hex } from '@indelible/identifiers';
import type { PublicRecord } from '@indelible/kafka';
import type { Database } from '@indelible/postgres';
import { type EventOrigin, kafkaRecordOf } from '@indelible/public-events';
import { readRows } from '../tables/log.ts';
import { readRanges } from '../tables/log-ranges.ts';
import { type EventFilter, isWanted } from './read-events.ts';

/** The log position after which a replay continues: accounts are in byte order. */
export type ReplayCursor = { readonly account: Hex; readonly position: number };

export type Replay = EventFilter & {
  /** All when undefined. */
  readonly account: Hex | undefined;
  /** By append time: from `since`, before `until`. */
  readonly since: Date;
  readonly until: Date;
  readonly after: ReplayCursor | undefined;
};

/** Acknowledged events; `cursor` is undefined before the first. */
export type ReplayProgress = { readonly events: number; readonly cursor: ReplayCursor | undefined };

const accountsAtOnce = 100;
const rowsAtOnce = 500;
const pageBytes = 128 * 1024;
/** Records per slice; one is published while the next is read. */
const sliceRecords = 1_000;
const sliceBytes = 512 * 1024;
/** Rows per slice, even if they make few records, so that the cursor advances. */
const sliceRows = 5_000;

/**
 * Publishes the log again, each account's events in order: with the keys, values and headers of the public topic.
 * Memory is bounded by two slices and a page of the log.
 * @param publish resolves when the records are acknowledged
 * @returns where it ended: at the end of the log, or where the signal stopped it
 */
export async function replayLog(
  ports: {
    readonly database: Pick<Database, 'query'>;
    readonly publish: (records: readonly Omit<PublicRecord, 'topic'>[]) => Promise<void>;
    readonly onProgress: (progress: ReplayProgress) => void;
    readonly signal: AbortSignal;
  },
  replay: Replay,
  origin: EventOrigin,
): Promise<ReplayProgress & { readonly done: boolean }> {
  let progress: ReplayProgress = { events: 0, cursor: replay.after };
  let slice: Omit<PublicRecord, 'topic'>[] = [];
  let bytes = 0;
  let passed = 0;
  let publishing: Promise<void> = Promise.resolve();

  /** Publishes what is collected, once the previous slice is acknowledged. */
  async function flush(cursor: ReplayCursor): Promise<void> {
    const records = slice;
    slice = [];
    bytes = 0;
    passed = 0;
    await publishing;
    publishing = (async () => {
      if (records.length > 0) await ports.publish(records);
      progress = { events: progress.events + records.length, cursor };
      ports.onProgress(progress);
    })();
    // Thrown where it is awaited.
    publishing.catch(() => {});
  }

  let cursor = replay.after;
  for await (const { account, rows } of pagesOf(ports.database, replay)) {
    if (ports.signal.aborted) break;
    for (const row of rows) {
      for (const event of row.events)
        if (isWanted(event, replay)) {
          const record = kafkaRecordOf(account, event, origin);
          slice.push(record);
          bytes += record.value.length;
        }
      cursor = { account, position: row.position };
      passed++;
      if (slice.length >= sliceRecords || bytes >= sliceBytes || passed >= sliceRows) await flush(cursor);
    }
  }
  const done = !ports.signal.aborted;
  if (done && cursor !== undefined) await flush(cursor);
  await publishing;
  return { ...progress, done };
}

/** The requested rows of the log, by account, in pages. */
async function* pagesOf(database: Pick<Database, 'query'>, { account, after, since, until }: Replay) {
  let from: Hex | undefined = after?.account ?? account ?? '0x';
  while (from !== undefined) {
    const { ranges, next } = await readRanges(database, from, account === undefined ? accountsAtOnce : 1, {
      since,
      until,
    });
    for (const range of ranges) {
      if (account !== undefined && range.account !== account) return;
      let position = range.account === after?.account ? Math.max(range.after, after.position) : range.after;
      while (position < range.last) {
        const page = await readRows(database, range.account, position, rowsAtOnce, pageBytes);
        const rows = page.filter((row) => row.position <= range.last);
        if (rows.length > 0) yield { account: range.account, rows };
        position = page.at(-1)?.position ?? range.last;
      }
    }
    from = account === undefined ? next : undefined;
  }
}
