import { hash } from 'node:crypto';
import type { PublicEventType } from './public-event.ts';

/** For all ids of public events: a change would change every id. */
const namespace = Buffer.from('6f1d1c0a4d5e5b7c9a3e2f8b7d6c5a49', 'hex');

/**
 * A UUID of version 5: a fact has the same id however often it is projected, but another in each version of its event.
 * @param fact what the event follows from, such as the id of the message and the stamp
 */
export function eventIdOf(
  { name, version }: Pick<PublicEventType, 'name' | 'version'>,
  ...fact: readonly string[]
): string {
  const type = version === 1 ? name : `${name}.v${version}`;
  const bytes = hash('sha1', Buffer.concat([namespace, Buffer.from([type, ...fact].join(' '))]), 'buffer');
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
