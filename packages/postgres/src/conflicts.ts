import type { Client, Database } from './database.ts';

/**
 * SQLSTATEs of a transaction that lost a race and must retry: unique_violation, serialization_failure,
 * deadlock_detected.
 */
const conflictCodes = new Set(['23505', '40001', '40P01']);

/** What a transaction read had changed when it wrote: it must retry. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
  /** serialization_failure */
  readonly code = '40001';
}

export const isConflict = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && conflictCodes.has(String(error.code));

/**
 * A transaction that reads, decides and writes, and retries when another was faster: `work` must read inside all that
 * it decides by. Gives up after `attempts` with the last conflict, which is retryable.
 */
export async function decideInTransaction<Result>(
  database: Pick<Database, 'transaction'>,
  work: (client: Client) => Promise<Result>,
  attempts = 10,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.transaction(work);
    } catch (error) {
      if (!isConflict(error) || attempt >= attempts) throw error;
    }
  }
}
