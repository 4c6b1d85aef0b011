import type { Hex } from '@indelible/identifiers';
import { arrayOf } from '@indelible/postgres';

/** Of collections that wait for their first batch. */
export const unrecorded = 'created_block is null and batch_id is null and reverted_batches = 0';
/** Of collections that wait and were in reverted batches: after ten it is never recorded, which the index says as well. */
export const revertedCollections =
  'created_block is null and batch_id is null and reverted_batches > 0 and reverted_batches < 10';
/** Of an account `a` that the operator may write for. */
export const granted = 'a.granted_block is not null and a.revoked_block is null';

/**
 * A claim that leaves accounts out is another statement, with their array as its last parameter: while none is left out, as
 * nearly always, the condition costs nothing.
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

/** So many accounts share a batch at most; the rest of a crowd comes with the next one. */
export const maxAccounts = 1_000;
