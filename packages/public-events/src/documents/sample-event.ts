import type { LoggedEvent } from '../cloud-event.ts';
import { eventIdOf } from '../event-id.ts';
import type { PublicEventType } from '../public-event.ts';
import { isLogged } from '../types.ts';

/** A whole event of a type, with the example of its schema as data. */
export function sampleEventOf(type: PublicEventType): LoggedEvent {
  const { name, version, schema } = type;
  const [data] = schema.examples as [Record<string, unknown>];
  return {
    id: eventIdOf(type, 'sample'),
    name,
    version,
    subject: String(data.stamp_id ?? data.set_cid ?? data.webhook_id ?? data.user_address),
    time: '2026-11-21T04:10:08.123Z',
    ...(isLogged(type)
      ? { sequence: 7, traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' }
      : { sequence: 1 }),
    data,
  };
}
