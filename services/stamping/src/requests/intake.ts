import type { Refusal } from '@indelible/messages';
import type { Database } from '@indelible/postgres';

/** Why nothing new is taken now: the client is to come again later. Joins and repeats go on. */
export type Intake = { closed(): Promise<Refusal | undefined> };

const outOfFunds: Refusal = { code: 'out-of-funds', message: 'stamping is paused: no lane can pay for transactions' };
const busy: Refusal = { code: 'too-busy', message: 'more stamps wait for the chain than it carries: come again later' };

/**
 * Watches how much waits and whether any held lane can pay, asked for at most once per `maxAgeMs`: what comes in faster
 * than the chain carries it is refused before it piles up.
 */
export function createIntake(options: {
  readonly database: Pick<Database, 'query'>;
  readonly maxWaiting: number;
  readonly maxAgeMs: number;
  readonly now: () => number;
}): Intake {
  let known: { at: number; refusal: Promise<Refusal | undefined> } | undefined;

  async function look(): Promise<Refusal | undefined> {
    const { rows } = await options.database.query<{ full: boolean; paused: boolean }>({
      name: 'look-at-intake',
      text: `select (select count(*) from (select from waiting_stamps limit $1::bigint) as waiting) >= $1::bigint as full,
             coalesce((select bool_and(low_funds) from lanes where lease_until > now()), false) as paused`,
      values: [options.maxWaiting],
    });
    if (rows[0]?.paused === true) return outOfFunds;
    return rows[0]?.full === true ? busy : undefined;
  }

  return {
    closed() {
      if (known === undefined || options.now() - known.at >= options.maxAgeMs) {
        const refusal = look();
        known = { at: options.now(), refusal };
        refusal.catch(() => {
          known = undefined;
        });
      }
      return known.refusal;
    },
  };
}
