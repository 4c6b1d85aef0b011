import type { ConfirmationOfStamp } from '@indelible/messages';
import type { Database } from '@indelible/postgres';
import { isTemporary } from '@indelible/service-runtime';
import type { StampFact } from '../decisions/follow-stamp.ts';
import type { Stamping } from '../neighbours/stamping.ts';
import { readUnheard } from '../tables/stamps.ts';

const atOnce = 500;
const beforeAll = '00000000-0000-0000-0000-000000000000';

/** Equivalent to StampConfirmed, but no message, and not in the inbox: it takes effect once. */
export type LookedUp = Extract<StampFact, { type: 'StampConfirmed' }>;

/**
 * Looks up the confirmations of stamps without content for which a later request's content waits, since storage gets no
 * messages of them. A failing page does not stop others, nor does a stamp that cannot be looked up or handled stop the
 * rest of its page.
 * @param handle of at most 500 stamps
 * @returns how many were handled
 * @throws the first fault, after all pages: UnavailableError while stamping is unavailable, an error with the id of a
 *   stamp; the content waits
 */
export async function confirmUnheard(
  ports: { readonly database: Pick<Database, 'query'>; readonly stamping: Pick<Stamping, 'confirmationsOf'> },
  handle: (confirmations: readonly LookedUp[]) => Promise<void>,
): Promise<number> {
  let handled = 0;
  const faults: unknown[] = [];
  async function confirm(stampIds: readonly string[]): Promise<void> {
    try {
      const confirmations = await ports.stamping.confirmationsOf(stampIds);
      if (confirmations.length > 0) await handle(confirmations.map(lookedUpOf));
      handled += confirmations.length;
    } catch (error) {
      if (isTemporary(error)) return void faults.push(error);
      if (stampIds.length === 1)
        return void faults.push(
          new Error(`the confirmation of the stamp ${stampIds[0]} cannot be handled`, { cause: error }),
        );
      const middle = Math.ceil(stampIds.length / 2);
      await confirm(stampIds.slice(0, middle));
      await confirm(stampIds.slice(middle));
    }
  }
  for (let after: string | undefined = beforeAll; after !== undefined; ) {
    const stampIds = await readUnheard(ports.database, after, atOnce);
    if (stampIds.length === 0) break;
    await confirm(stampIds);
    after = stampIds.length === atOnce ? stampIds.at(-1) : undefined;
  }
  for (const fault of faults) throw fault;
  return handled;
}

const lookedUpOf = (confirmation: ConfirmationOfStamp): LookedUp => ({
  type: 'StampConfirmed',
  data: { ...confirmation, content: null, replyTo: null },
});
