import type { Hex } from '@indelible/identifiers';
import type { Client } from '@indelible/postgres';
import { UnavailableError } from '@indelible/service-runtime';
import type { Question } from '../matching/read-upload.ts';
import { holdsCollection } from '../projections/collections.ts';
import type { CursorWatch } from '../projections/cursor-watch.ts';
import { hasReached } from '../projections/cursors.ts';
import { beginSnapshot } from '../projections/snapshot.ts';

/**
 * Runs `work` in one snapshot that contains everything earlier responses to the caller named (I9). Read-only: a
 * transaction that writes nothing has no id, so outbox relays do not wait for it, however long it takes.
 * @throws UnavailableError when the read model does not reach it within `waitMs`
 */
export async function inSnapshot(
  session: Client,
  watch: CursorWatch,
  { caller, minBlock, minCollection }: Question,
  { waitMs, pollMs }: { readonly waitMs: number; readonly pollMs: number },
  work: () => Promise<void>,
): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const waiter = minBlock === undefined ? undefined : watch.expect(minBlock);
    try {
      await beginSnapshot(session);
      const missing = await missingOf(session, caller, { minBlock, minCollection });
      if (missing === undefined) {
        await work();
        await session.query('commit');
        return;
      }
      await session.query('rollback');
      const left = deadline - performance.now();
      if (left <= 0) throw new UnavailableError(`${missing} is not projected yet`);
      const pause = Math.min(left, pollMs);
      await (waiter === undefined ? new Promise((resolve) => setTimeout(resolve, pause)) : waiter.woken(pause));
    } finally {
      waiter?.close();
    }
  }
}

/** What the snapshot still lacks. */
async function missingOf(
  session: Client,
  caller: Hex,
  { minBlock, minCollection }: { [Key in 'minBlock' | 'minCollection']: Question[Key] | undefined },
): Promise<string | undefined> {
  if (minBlock !== undefined && !(await hasReached(session, minBlock)))
    return `block ${minBlock.number} of chain ${minBlock.chainId}`;
  if (minCollection !== undefined && !(await holdsCollection(session, caller, minCollection)))
    return `collection ${minCollection}`;
  return undefined;
}
