import { randomUUIDv7 } from 'node:crypto';

/**
 * A new id: a UUID of version 7, whose beginning is the time in milliseconds. What is recorded together is adjacent in
 * every index by id, where random ids would touch a page each (docs/hot-path.md, Ids).
 */
export const newId = (): string => randomUUIDv7();

/** When an id of version 7 was made, in ms since 1970; undefined of other ids. */
export const timeOfId = (id: string): number | undefined =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-7/i.test(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined;
