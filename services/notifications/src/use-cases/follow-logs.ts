import type { Hex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { type CloudEvent, cloudEventOf, type EventOrigin } from '@indelible/public-events';
import { endsOf, type LogRow, readRowsOfAll } from '../tables/log.ts';
import type { LogWatch } from '../tables/log-watch.ts';

export type FollowQuery = {
  /** Positions after which to read, by account. */
  readonly after: ReadonlyMap<Hex, number>;
  /** Accounts that only request the end of the log. */
  readonly ends: readonly Hex[];
  /** How long an empty response waits for events. */
  readonly waitMs: number;
};

export type Followed = {
  /** For each account with new events: the next ones, and the position to continue after. */
  readonly logs: readonly {
    readonly account: Hex;
    readonly events: readonly { readonly position: number; readonly event: CloudEvent }[];
    readonly next: number;
  }[];
  /** Whether these or later accounts may already have more. */
  readonly more: boolean;
};

/** Rows per account, and total bytes as stored: an account's rows precede those of the next. */
const rowsAtOnce = 5;
const bytesAtOnce = 512 * 1024;

/** The new events of many accounts; waits for the first of them. A gateway's followers cost one statement at a time. */
export async function followLogs(
  ports: { readonly database: Pick<Database, 'query'>; readonly watch: LogWatch; readonly origin: EventOrigin },
  { after, ends, waitMs }: FollowQuery,
  left: AbortSignal,
): Promise<Followed> {
  const { database, watch, origin } = ports;
  const found = ends.length === 0 ? [] : [...(await endsOf(database, ends))];
  const atEnd = found.map(([account, next]) => ({ account, events: [], next }));
  const follower = watch.follow(after.keys());
  try {
    const ended = AbortSignal.any([left, AbortSignal.timeout(waitMs)]);
    for (let wanted = after; wanted.size > 0; ) {
      const { rows, more } = await readRowsOfAll(database, wanted, rowsAtOnce, bytesAtOnce);
      if (rows.length > 0 || atEnd.length > 0) return { logs: [...atEnd, ...logsOf(rows, after, origin)], more };
      const grown = await follower.grown(ended);
      wanted = new Map([...after].filter(([account]) => grown.has(account)));
    }
    return { logs: atEnd, more: false };
  } finally {
    follower.close();
  }
}

function logsOf(rows: readonly LogRow[], after: FollowQuery['after'], origin: EventOrigin): Followed['logs'] {
  return [...Map.groupBy(rows, ({ account }) => account)].map(([account, own]) => {
    const events = own.flatMap((row) =>
      row.events.map((event, place) => ({
        position: row.position - row.events.length + 1 + place,
        event: cloudEventOf(event, origin),
      })),
    );
    const from = after.get(account) ?? 0;
    return { account, events: events.filter(({ position }) => position > from), next: own.at(-1)?.position ?? from };
  });
}
