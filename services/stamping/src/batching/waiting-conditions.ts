import type { Hex } from '@indelible/identifiers';
import { arrayOf } from '@indelible/postgres';

/** Collections that wait for their first batch. */
export const unrecorded = 'created_block is null and batch_id is null and reverted_batches = 0';
/** Waiting collections of reverted batches: after ten they are never recorded, as the index says too. */
export const revertedCollections =
  'created_block is null and batch_id is null and reverted_batches > 0 and reverted_batches < 10';
/** Of an account `a` that the operator may write for. */
export const granted = 'a.granted_block is not null and a.revoked_block is null';

/**
 * A claim that leaves accounts out is a separate statement, with their array as its last parameter: usually none is
 * left out, and the condition costs nothing.
 * @param unless what is claimed all the same
 */
export const leavingOut = (leftOut: readonly Hex[], column: string, parameter: number, unless?: string) =>
  leftOut.length === 0
    ? { suffix: '', condition: '', values: [] }
    : {
        suffix: '-of-others',
        condition: `and (${column} <> all($${parameter}::bytea[])${unless === undefined ? '' : ` or ${unless}`})`,
        values: [arrayOf.bytea(leftOut)],
      };

/** The most accounts that share a batch; the rest of a crowd gets the next one. */
export const maxAccounts = 1_000;
