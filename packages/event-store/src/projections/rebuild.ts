import { setTimeout as delay } from 'node:timers/promises';
import { asOwner, createDatabase, type Database, sessionAddress } from '@indelible/postgres';
import type { Logger } from '@indelible/service-runtime';
import pg from 'pg';
import { closeGate, reserveSchema } from './gate.ts';
import { type Projection, RebuildError, type Schemas } from './projection.ts';
import { createShadow, dropLeftovers, schemasOf, tableIn } from './shadow-schema.ts';
import type { Progress, Source } from './source.ts';
import { isBusy, moveTables, setLockTimeout } from './swap.ts';
import { countVanishing, findVanishing } from './vanishing.ts';

/** The steps, reported when done: a process that dies after any leaves the old or the new read model whole. */
export const rebuildSteps = ['shadow made', 'filled', 'gate closed', 'settled', 'tables moved', 'swapped'] as const;
export type RebuildStep = (typeof rebuildSteps)[number];

export type RebuildResult = Progress & {
  /** How long the swap paused the live projection; queries continued. */
  readonly stoodStillMs: number;
  readonly attempts: number;
};

export type RebuildOptions = {
  readonly url: string;
  readonly projection: Projection;
  /** Creates the source; the given sessions see the shadow. */
  readonly source: (ports: {
    readonly shadow: Database;
    readonly schemas: Schemas;
    readonly signal: AbortSignal;
  }) => Source;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Swap even if live rows that no message mentions would be lost. */
  readonly allowFewer?: boolean;
  readonly onStep?: (step: RebuildStep) => void | Promise<void>;
  readonly onProgress?: (progress: Progress) => void;
  /** How long to retry the swap: default 10 minutes. */
  readonly swapWithinMs?: number;
};

/** The most time for the source while the gate is closed, and for table locks, which grows per attempt. */
const settleMs = 10_000;
const tableWaitMs = { first: 100, most: 1_500 };
const progressEveryMs = 2_000;

/**
 * Rebuilds a projection in a separate schema while the old one serves queries, and swaps their tables atomically. The
 * new one never has less than the old (I8, I9).
 * @throws RebuildError and others: the live read model is then the old one, or, after `swapped`, the new one
 */
export async function rebuild(given: RebuildOptions): Promise<RebuildResult> {
  const { projection, logger } = given;
  // the new tables belong to the same owner as those that they replace
  const url = await asOwner(given.url, projection.schema);
  const options = { ...given, url };
  const schemas = schemasOf(projection.schema);
  const session = new pg.Client({
    ...sessionAddress(url),
    application_name: `rebuild ${projection.name}`,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
  });
  const lost = new AbortController();
  session.on('error', (error) => lost.abort(error));
  const signal = AbortSignal.any([options.signal, lost.signal]);
  await session.connect();
  try {
    // A process paused in the middle of a swap must not block the live projection.
    await session.query("set idle_in_transaction_session_timeout = '30s'");
    if (!(await reserveSchema(session, schemas.live)))
      throw new RebuildError(`another rebuild in schema ${schemas.live} is running`, { retryable: true });
    await dropLeftovers(session, schemas.live);
    try {
      return await growAndSwap(options, session, signal);
    } finally {
      await dropLeftovers(session, schemas.live).catch(() =>
        logger.warn({}, 'the next rebuild removes what this one left'),
      );
    }
  } finally {
    await session.end().catch(() => {});
  }
}

async function growAndSwap(options: RebuildOptions, session: pg.Client, signal: AbortSignal): Promise<RebuildResult> {
  const { projection, url, logger } = options;
  const schemas = schemasOf(projection.schema);
  const shadow = createDatabase({
    url,
    schema: schemas.shadow,
    applicationName: `rebuild ${projection.name}`,
    maxConnections: 5,
    statementTimeoutMs: 600_000,
    logger,
  });
  const source = options.source({ shadow, schemas, signal });
  const progress = setInterval(() => options.onProgress?.(source.progress()), progressEveryMs);
  try {
    await createShadow(session, url, projection);
    await options.onStep?.('shadow made');
    await source.start();
    await source.catchUp();
    // Without statistics the planner would assume empty tables.
    for (const table of projection.tables) await session.query(`vacuum (analyze) ${tableIn(schemas.shadow, table)}`);
    await options.onStep?.('filled');
    const swapped = await swapInTime(options, session, source, signal);
    await options.onStep?.('swapped');
    return { ...source.progress(), ...swapped };
  } finally {
    clearInterval(progress);
    await source.stop().catch((error: unknown) => logger.warn({ err: error }, 'the source did not stop cleanly'));
    await shadow.close();
  }
}

/** Retries the swap until done: waits outside of it for long queries, or a fork not yet reported. */
async function swapInTime(
  options: RebuildOptions,
  session: pg.Client,
  source: Source,
  signal: AbortSignal,
): Promise<{ readonly stoodStillMs: number; readonly attempts: number }> {
  const deadline = performance.now() + (options.swapWithinMs ?? 600_000);
  let waitMs = tableWaitMs.first;
  // Scans whole tables here, so that little is left to do while the live projection is paused.
  await source.prepareSwap(session);
  await findVanishing(session, options.projection, schemasOf(options.projection.schema));
  for (let attempts = 1; ; attempts++) {
    await source.catchUp();
    const began = performance.now();
    const outcome = await trySwap(options, session, source, waitMs);
    if (outcome === 'swapped') return { stoodStillMs: Math.round(performance.now() - began), attempts };
    source.resume();
    if (performance.now() > deadline)
      throw new RebuildError(
        outcome === 'busy'
          ? 'the tables were never free for a moment: try again when fewer long queries run'
          : 'the live projection was never where the source is: see that it and the chain-indexer run',
        { retryable: true },
      );
    if (outcome === 'busy') waitMs = Math.min(waitMs * 2, tableWaitMs.most);
    await delay(500, undefined, { signal });
  }
}

/** One transaction: the session that closes the gate also swaps, so both always end together. */
async function trySwap(
  options: RebuildOptions,
  session: pg.Client,
  source: Source,
  waitMs: number,
): Promise<'swapped' | 'busy' | 'not settled'> {
  const { projection } = options;
  const schemas = schemasOf(projection.schema);
  await session.query('begin');
  try {
    await setLockTimeout(session, settleMs);
    await closeGate(session, projection.name);
    await options.onStep?.('gate closed');
    if (!(await settled(source, session))) {
      await session.query('rollback');
      return 'not settled';
    }
    await options.onStep?.('settled');
    await refuseLoss(options, session, schemas);
    await source.handOver(session);
    await moveTables(session, projection, waitMs);
    await options.onStep?.('tables moved');
    await session.query('commit');
    return 'swapped';
  } catch (error) {
    await session.query('rollback').catch(() => {});
    if (isBusy(error)) return 'busy';
    throw error;
  }
}

async function settled(source: Source, session: pg.Client): Promise<boolean> {
  const limit = AbortSignal.timeout(settleMs);
  try {
    return await source.settle(session, limit);
  } catch (error) {
    if (limit.aborted && error === limit.reason) return false;
    throw error;
  }
}

async function refuseLoss(options: RebuildOptions, session: pg.Client, schemas: Schemas): Promise<void> {
  if (options.allowFewer === true) return;
  const rows = await countVanishing(session, options.projection, schemas);
  if (rows === 0) return;
  throw new RebuildError(
    `${rows} ${rows === 1 ? 'row' : 'rows'} of ${options.projection.name} would be gone, since nothing that it is made of ` +
      'tells of them: either they are damage (then --allow-fewer), or the source has lost something',
    { retryable: false },
  );
}
