import type { Client } from '@indelible/postgres';
import { schema } from './schema.ts';

/** The channel that notifies the batchers of every replica that something waits for a batch. */
export const workChannel = `${schema}_work`;

/** Something waits for a batch; or transactions left the chain and must be broadcast again at once. */
export type Work = 'waiting' | 'rebroadcast';

/** Wakes the batchers on commit. */
export const announceWork = async (client: Client, work: Work = 'waiting'): Promise<void> => {
  await client.query({ name: 'announce-work', text: 'select pg_notify($1, $2)', values: [workChannel, work] });
};
