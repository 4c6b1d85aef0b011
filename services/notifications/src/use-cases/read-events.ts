import type { Hex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { type CloudEvent, cloudEventOf, type EventOrigin, type LoggedEvent, setOf } from '@indelible/public-events';
import { type LogRow, readRows } from '../tables/log.ts';

export type EventFilter = {
  /** Names such as `stamp.confirmed`; all when undefined. */
  readonly types: ReadonlySet<string> | undefined;
  /** CIDs of collections; all, and the account's events, when undefined. */
  readonly collections: ReadonlySet<string> | undefined;
};

export type Page<Event> = {
  readonly events: readonly { readonly position: number; readonly event: Event }[];
  /** Where to read on. */
  readonly next: number;
  /** Whether there may be more already. */
  readonly more: boolean;
};
export type EventPage = Page<CloudEvent>;
export type EventRange = { readonly account: Hex; readonly after: number; readonly limit: number } & EventFilter;

/** A page ends after about this many bytes of data, and this many reads of the log, however much is filtered out. */
const pageBytes = 512 * 1024;
const mostReadings = 10;
const scannedBytes = 2 * 1024 * 1024;
const rowsAtOnce = 20;

/** The next rows of an account's log after a position; none at its end. The first may start before it. */
export type ReadLogRows = (account: Hex, after: number) => Promise<readonly Omit<LogRow, 'account'>[]>;

export const readLogRows =
  (database: Pick<Database, 'query'>): ReadLogRows =>
  (account, after) =>
    readRows(database, account, after, rowsAtOnce, scannedBytes);

/** The account's events after a position, in order. */
export async function readEvents(read: ReadLogRows, query: EventRange, origin: EventOrigin): Promise<EventPage> {
  const page = await readLogged(read, query);
  return {
    ...page,
    events: page.events.map(({ position, event }) => ({ position, event: cloudEventOf(event, origin) })),
  };
}

/** The same events as the log has them. */
export async function readLogged(read: ReadLogRows, query: EventRange): Promise<Page<LoggedEvent>> {
  const events: { position: number; event: LoggedEvent }[] = [];
  let next = query.after;
  let bytes = 0;
  for (let readings = 0; readings < mostReadings; readings++) {
    const rows = await read(query.account, next);
    for (const row of rows) {
      const first = row.position - row.events.length + 1;
      for (const [place, event] of row.events.entries()) {
        const position = first + place;
        if (position <= next) continue;
        if (isWanted(event, query)) {
          if (events.length >= query.limit || bytes >= pageBytes) return { events, next, more: true };
          events.push({ position, event });
          bytes += JSON.stringify(event.data).length;
        }
        next = position;
      }
    }
    if (rows.length === 0) return { events, next, more: false };
  }
  return { events, next, more: true };
}

export const isWanted = (event: LoggedEvent, { types, collections }: EventFilter): boolean =>
  (types === undefined || types.has(event.name)) && (collections === undefined || collections.has(setOf(event)));
