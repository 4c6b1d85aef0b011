import { getTransactionCount, type Rpc } from '@indelible/ethereum';
import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { type Logger, UnavailableError } from '@indelible/service-runtime';

/** The chain is ahead of the database, which was restored: nothing may be decided or signed until it is up to date. */
export class StoreBehindError extends Error {
  override readonly name = 'StoreBehindError';
  readonly retryable = true;
}

export type StoreAge = {
  /**
   * Resolves when neither the chain nor the node's pool has a granted lane's transaction with a nonce that the database
   * never assigned. Checked once for each incarnation of the database: later use of a lane's key elsewhere affects that
   * lane alone.
   * @throws StoreBehindError; UnavailableError when it cannot be known, whatever the node's response: no message is to
   *   blame
   */
  passed(): Promise<void>;
  /**
   * Before a lane is taken that the database lacks: checks that it never sent anything.
   * @throws as `passed` does
   */
  lookAt(lane: Hex): Promise<void>;
  /** Whether the last check found the database behind. */
  isBehind(): boolean;
};

/** How long a fault is cached: many waiting consumers and lanes must not flood the node. */
const faultHoldsMs = 1_000;

/**
 * Detects a database that is older than the chain, as after a restore without `indelible restore`: a lane would sign
 * again what the chain has, and a repeated request would be stamped twice (I2, I3). A nonce is stored before its
 * transaction is broadcast, so a healthy database is never behind; a lane that is new to the database must never have
 * sent anything. A lane that the operator removed can write nothing, so other uses of its key do not matter.
 */
export function createStoreAge(options: {
  readonly database: Pick<Database, 'query'>;
  readonly rpc: Rpc;
  readonly chainId: number;
  /** Of the configured keys; undefined if one is unknown. */
  readonly served: () => readonly Hex[] | undefined;
  /** Whether the lane may write for the operator now. */
  readonly isGranted: (lane: Hex) => Promise<boolean>;
  readonly logger: Logger;
  readonly now: () => number;
}): StoreAge {
  let looking: { readonly of: string; readonly at: number; readonly done: Promise<void> } | undefined;
  /** The incarnation of the database that passed the check: one may be restored while services run. */
  let passedOf: string | undefined;
  let behind = false;

  async function find(): Promise<void> {
    const { rows } = await options.database.query<{ lane: Buffer; next: number }>(
      'select lane, next_nonce as next from lanes where chain_id = $1',
      [options.chainId],
    );
    const served = options.served();
    // Without any lane in the database, only configured ones can show its age.
    if (served === undefined && rows.length === 0)
      throw new UnavailableError('the addresses of lanes are not known yet');
    const stored = new Map<Hex, number>((served ?? []).map((lane) => [lane, 0]));
    for (const { lane, next } of rows) stored.set(hexOfBytes(lane), next);
    for (const [lane, next] of stored) {
      const used = await getTransactionCount(options.rpc, lane, 'pending');
      // A transaction may have been stored and sent meanwhile.
      if (used > next && used > ((await readNext(lane)) ?? 0) && (await options.isGranted(lane)))
        throw behindError(lane, used, next);
    }
  }

  async function readNext(lane: Hex): Promise<number | undefined> {
    const { rows } = await options.database.query<{ next: number }>(
      'select next_nonce as next from lanes where lane = $1',
      [bytesOfHex(lane)],
    );
    return rows[0]?.next;
  }

  /** Changes when the database is created again, and when its server restarts. */
  async function readIncarnation(): Promise<string> {
    const { rows } = await options.database.query<{ incarnation: string }>({
      name: 'incarnation',
      text: `select oid || ' ' || pg_postmaster_start_time() as incarnation from pg_database
             where datname = current_database()`,
    });
    return rows[0]?.incarnation ?? '';
  }

  /** A node's response must never cause a message to be set aside. */
  const unlessUnknown = (error: unknown): never => {
    if (error instanceof StoreBehindError || error instanceof UnavailableError) throw error;
    throw new UnavailableError('whether the database is older than the chain is not known', { cause: error });
  };

  async function lookOnce(incarnation: string): Promise<void> {
    try {
      await find();
      passedOf = incarnation;
      behind = false;
    } catch (error) {
      behind = error instanceof StoreBehindError;
      if (behind) options.logger.error({ err: error }, (error as Error).message);
      unlessUnknown(error);
    }
  }

  return {
    async passed() {
      const incarnation = await readIncarnation();
      if (passedOf === incarnation) return;
      if (looking?.of !== incarnation || options.now() - looking.at >= faultHoldsMs) {
        const done = lookOnce(incarnation);
        done.catch(() => undefined);
        looking = { of: incarnation, at: options.now(), done };
      }
      await looking.done;
    },
    async lookAt(lane) {
      if ((await readNext(lane)) !== undefined) return;
      const used = await getTransactionCount(options.rpc, lane, 'pending').catch(unlessUnknown);
      if (used > 0) throw behindError(lane, used, 0);
    },
    isBehind: () => behind,
  };
}

const behindError = (lane: Hex, used: number, next: number): StoreBehindError =>
  new StoreBehindError(
    `The chain has transactions of lane ${lane} up to nonce ${used - 1}, the database expects ${next} next: it is older than the chain. Stop all services and run \`indelible restore\` (docs/backup.md)`,
  );
