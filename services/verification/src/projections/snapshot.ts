import type { Client } from '@indelible/postgres';

/**
 * Begins a transaction that reads all of the read model from one snapshot. The tables are held before the snapshot is
 * taken, so that they cannot be swapped for rebuilt ones within it: of those an older snapshot would see too little, and
 * take a private collection for an unregistered one.
 */
export async function beginSnapshot(session: Client): Promise<void> {
  await session.query(
    'begin isolation level repeatable read read only; lock table cursors, commitments, collections in access share mode',
  );
}
