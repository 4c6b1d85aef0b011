import { getTransactionCount, type Rpc } from '@indelible/ethereum';
import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { type Logger, UnavailableError } from '@indelible/service-runtime';

/** The chain has what the database does not: it was restored, and nothing may be decided or signed until it is brought up to date. */
export class StoreBehindError extends Error {
  override readonly name = 'StoreBehindError';
  readonly retryable = true;
}

export type StoreAge = {
  /**
   * Looks whether the chain, or a node's pool, has a transaction of any lane that the database never gave a nonce for.
   * @throws StoreBehindError, and others when it cannot be known
   */
  look(): Promise<void>;
  /** Resolves without a look at the chain when the last one found nothing, of this very database. @throws as `look` does */
  passed(): Promise<void>;
  /** Whether the last look found that the database is behind. */
  isBehind(): boolean;
};

/** So long a finding holds, so that many waiting consumers and lanes are no crowd of questions. */
const holdsMs = { passed: 10_000, other: 1_000 };

/**
 * Guards a database that is older than the chain, as after a restore without `indelible restore`: a lane would sign what the chain has
 * already, and a repeated request would be stamped twice (I2, I3). A nonce is stored before its transaction is broadcast, so a healthy
 * database is never behind; one that is new to a lane has a lane that never sent anything.
 */
export function createStoreAge(options: {
  readonly database: Pick<Database, 'query'>;
  readonly rpc: Rpc;
  readonly chainId: number;
  /** Of the configured keys; undefined while one is not known. */
  readonly served: () => readonly Hex[] | undefined;
  readonly logger: Logger;
  readonly now: () => number;
}): StoreAge {
  let finding: { readonly at: number; readonly done: Promise<void> } | undefined;
  let outcome: 'unknown' | 'passed' | 'behind' = 'unknown';
  /** Which database the outcome is of: one may be restored while services run. */
  let seen: string | undefined;

  async function find(): Promise<void> {
    const { rows } = await options.database.query<{ lane: Buffer; next: number }>(
      'select lane, next_nonce as next from lanes where chain_id = $1',
      [options.chainId],
    );
    const served = options.served();
    // Lanes that the database does not have are looked at when their keys are known; where it has none at all, nothing else says its age.
    if (served === undefined && rows.length === 0)
      throw new UnavailableError('the addresses of lanes are not known yet');
    const stored = new Map<Hex, number>((served ?? []).map((lane) => [lane, 0]));
    for (const { lane, next } of rows) stored.set(hexOfBytes(lane), next);
    for (const [lane, next] of stored) {
      const used = await getTransactionCount(options.rpc, lane, 'pending');
      // A transaction may have been stored and sent meanwhile.
      if (used > next && used > (await readNext(lane)))
        throw new StoreBehindError(
          `The chain has transactions of lane ${lane} up to nonce ${used - 1}, the database expects ${next} next: it is older than the chain. Stop all services and run \`indelible restore\` (docs/backup.md)`,
        );
    }
  }

  async function readNext(lane: Hex): Promise<number> {
    const { rows } = await options.database.query<{ next: number }>(
      'select next_nonce as next from lanes where lane = $1',
      [bytesOfHex(lane)],
    );
    return rows[0]?.next ?? 0;
  }

  function look(): Promise<void> {
    const holds = outcome === 'passed' ? holdsMs.passed : holdsMs.other;
    if (finding === undefined || options.now() - finding.at >= holds) {
      const done = find().then(
        () => {
          outcome = 'passed';
        },
        (error: unknown) => {
          if (error instanceof StoreBehindError) {
            outcome = 'behind';
            options.logger.error({ err: error }, error.message);
          } else finding = undefined;
          throw error;
        },
      );
      finding = { at: options.now(), done };
      done.catch(() => undefined);
    }
    return finding.done;
  }

  /** Changes when the database is made again, and when its server starts again. */
  async function incarnation(): Promise<string | undefined> {
    const { rows } = await options.database.query<{ incarnation: string }>({
      name: 'incarnation',
      text: `select oid || ' ' || pg_postmaster_start_time() as incarnation from pg_database
             where datname = current_database()`,
    });
    return rows[0]?.incarnation;
  }

  async function passed(): Promise<void> {
    const now = await incarnation();
    if (outcome === 'passed' && seen === now) return;
    if (seen !== now) finding = undefined;
    await look();
    seen = now;
  }

  return { look, passed, isBehind: () => outcome === 'behind' };
}
