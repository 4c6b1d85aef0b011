import { randomUUIDv7 } from 'node:crypto';

/**
 * A new id: a UUID of version 7, whose beginning is the time in milliseconds. What is recorded together then lies together in
 * every index by id, where random ids would touch a page each (docs/adr/0015-ids-by-time.md).
 */
export const newId = (): string => randomUUIDv7();
