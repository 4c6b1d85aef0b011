import type { Client } from '@indelible/postgres';

/**
 * Begins a transaction that reads the whole read model from one snapshot. Locks the tables before taking the snapshot,
 * so that they cannot be swapped for rebuilt ones meanwhile: an older snapshot would see too little of those, and take
 * a private collection for an unregistered one.
 */
export async function beginSnapshot(session: Client): Promise<void> {
  await session.query(
    'begin isolation level repeatable read read only; lock table cursors, commitments, collections in access share mode',
  );
}
