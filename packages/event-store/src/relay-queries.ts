import { arrayOf, type Database } from '@indelible/postgres';

export type RecordedEvent = {
  readonly transactionId: string;
  readonly position: number;
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly typeVersion: number;
  readonly messageId: string;
  readonly data: object;
  readonly requestId: string | null;
  readonly traceparent: string | null;
  readonly recordedAt: Date;
};

/** What a relay publishes, and how it notes that it has. */
export type Outbox = {
  /** The next events, in their order; those that are not noted as published come again. */
  read(limit: number): Promise<RecordedEvent[]>;
  /** Whether anything committed is unpublished that cannot be read yet. */
  hasMore(): Promise<boolean>;
  published(events: readonly RecordedEvent[]): Promise<void>;
};

const columns = `e.transaction_id::text as "transactionId", e.position, e.stream, e.version, e.type,
  e.type_version as "typeVersion", e.message_id as "messageId", e.data, e.request_id as "requestId", e.traceparent,
  e.recorded_at as "recordedAt"`;

/**
 * Events that are kept, behind a cursor. Only those of transactions older than every running one are read: an event that
 * commits later can then never sort before one that was read.
 */
export const keptEvents = (database: Pick<Database, 'query'>): Outbox => ({
  async read(limit) {
    const { rows } = await database.query<RecordedEvent>({
      name: 'read-unpublished',
      text: `select ${columns}
             from relay_cursor c cross join lateral (
               select * from events
               where (transaction_id, position) > (c.transaction_id, c.position)
                 and transaction_id < pg_snapshot_xmin(pg_current_snapshot())
               order by transaction_id, position limit $1) e
             order by e.transaction_id, e.position`,
      values: [limit],
    });
    return rows;
  },
  async hasMore() {
    const { rows } = await database.query<{ waiting: boolean }>({
      name: 'has-unpublished',
      // Ordered, so that it is one look into the index, however many events there are.
      text: `select e.position is not null as waiting
             from relay_cursor c left join lateral (
               select position from events
               where (transaction_id, position) > (c.transaction_id, c.position)
               order by transaction_id, position limit 1) e on true`,
    });
    return rows[0]?.waiting === true;
  },
  async published(events) {
    const last = events.at(-1);
    if (last === undefined) return;
    await database.query({
      name: 'advance-relay',
      // It never goes back, whatever a former leader still writes.
      text: `update relay_cursor set transaction_id = $1::xid8, position = $2
             where (transaction_id, position) < ($1::xid8, $2::bigint)`,
      values: [last.transactionId, last.position],
    });
  },
});

/**
 * Events that go once they are published. Whatever is there is read, whoever else is writing meanwhile: what commits later
 * is still there then. Within a stream they come in order, since a version is appended by one who knows of the one before.
 */
export const passingEvents = (database: Pick<Database, 'query'>): Outbox => ({
  async read(limit) {
    const { rows } = await database.query<RecordedEvent>({
      name: 'read-passing',
      text: `select ${columns} from events e order by e.transaction_id, e.position limit $1`,
      values: [limit],
    });
    return rows;
  },
  hasMore: async () => false,
  async published(events) {
    await database.query({
      name: 'delete-published',
      text: `delete from events where ctid = any(array(
               select e.place from unnest($1::text[], $2::int[]) as p (stream, version)
               cross join lateral (
                 select ctid as place from events where stream = p.stream and version = p.version limit 1) as e))`,
      values: [arrayOf.text(events.map(({ stream }) => stream)), arrayOf.int(events.map(({ version }) => version))],
    });
  },
});
