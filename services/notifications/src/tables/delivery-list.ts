import type { Client, Database } from '@indelible/postgres';
import type { Attempt, DeliveryStatus } from '../decisions/deliveries.ts';

/** A delivery as its owner sees it. */
export type Delivery = {
  readonly position: number;
  readonly eventId: string;
  readonly type: string;
  readonly status: DeliveryStatus;
  readonly attempts: readonly Attempt[];
  readonly nextAttemptAt: Date | null;
};

type Queries = Pick<Database, 'query'> | Client;
type Row = {
  position: number;
  event_id: string;
  type: string;
  status: DeliveryStatus;
  attempts: Attempt[];
  next_attempt_at: Date | null;
};

const columns = 'position, event_id, type, status, attempts, next_attempt_at';

const deliveryOf = (row: Row): Delivery => ({
  position: row.position,
  eventId: row.event_id,
  type: row.type,
  status: row.status,
  attempts: row.attempts,
  nextAttemptAt: row.next_attempt_at,
});

/** The newest events first. */
export async function listDeliveries(
  database: Queries,
  webhookId: string,
  page: { readonly before: number; readonly status: DeliveryStatus | null; readonly limit: number },
): Promise<readonly Delivery[]> {
  const { rows } = await database.query<Row>({
    name: 'list-deliveries',
    text: `select ${columns} from deliveries where webhook_id = $1 and position < $2 and ($3::text is null or status = $3)
           order by position desc limit $4`,
    values: [webhookId, page.before, page.status, page.limit],
  });
  return rows.map(deliveryOf);
}

/** Makes a delivery due at once, with all its attempts again. @returns undefined when it does not exist */
export async function requestAgain(
  client: Queries,
  webhookId: string,
  eventId: string,
  now: Date,
): Promise<Delivery | undefined> {
  const { rows } = await client.query<Row>({
    name: 'request-delivery-again',
    // A waiting one keeps its place in its collection.
    text: `update deliveries set status = 'waiting', tries = 0, again = again or status <> 'waiting', next_attempt_at = $3
           where webhook_id = $1 and event_id = $2 returning ${columns}`,
    values: [webhookId, eventId, now],
  });
  return rows.map(deliveryOf)[0];
}
