import type { Client } from '@indelible/postgres';
import { schema } from './schema.ts';

/** The channel on which batchers of every replica are notified that something waits for a batch. */
export const workChannel = `${schema}_work`;

/** Something waits for a batch; or transactions left the chain and are to be broadcast again at once. */
export type Work = 'waiting' | 'rebroadcast';

/** Wakes the batchers when the caller's transaction commits. */
export const announceWork = async (client: Client, work: Work = 'waiting'): Promise<void> => {
  await client.query({ name: 'announce-work', text: 'select pg_notify($1, $2)', values: [workChannel, work] });
};
