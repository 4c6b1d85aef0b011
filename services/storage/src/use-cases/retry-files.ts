import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createLeadership, type Database } from '@indelible/postgres';
import { type Component, createOutageLog, type Logger } from '@indelible/service-runtime';
import { readDueNonConfirmed } from '../tables/non-confirmed.ts';
import { readDueFiles } from '../tables/pending-files.ts';
import { adoptFiles } from './adopt-files.ts';
import { inParallel } from './in-parallel.ts';
import { finishNonConfirmed, type KeptContent } from './keep-non-confirmed.ts';
import { defaultPatienceMs } from './patience.ts';
import { type Stored, type StorePorts, storePendingFiles } from './store-files.ts';

const atOnce = 100;
const everyMs = 5_000;
/** Contents without a stamp that are moved at once. */
const width = 8;

export type RetryTelemetry = {
  filesStored(result: Stored, requestIds: ReadonlyMap<string, string>): void;
  contentKeptAside(kept: KeptContent, requestId: string | undefined): void;
};

/**
 * Retries what could not be moved when its message came, while the blob store was available for others. A round waits
 * for a slow one as long as a batch does; its move continues, and a later round finds the outcome (join-moves.ts).
 * @returns how many were stored, given up or postponed: other due ones are handled elsewhere
 * @throws the blob store's retryable fault when it is unavailable: all stays due
 */
export async function retryFiles(
  ports: StorePorts,
  telemetry: RetryTelemetry,
  patienceMs: number = defaultPatienceMs,
): Promise<number> {
  const stampIds = await readDueFiles(ports.database, ports.now(), atOnce);
  const stored = await storePendingFiles(ports, stampIds, new Map(), patienceMs);
  telemetry.filesStored(stored, new Map());
  const ids = stored.stored.map(({ stampId }) => stampId);
  for (const side of ['stamps', 'recreated'] as const) if (ids.length > 0) await adoptFiles(ports.database, side, ids);
  if (stored.away !== undefined) throw stored.away;
  const requestIds = await readDueNonConfirmed(ports.database, ports.now(), atOnce);
  await inParallel(requestIds, width, async (requestId) =>
    telemetry.contentKeptAside(await finishNonConfirmed(ports, requestId, { patienceMs }), requestId),
  );
  return stored.stored.length + stored.failed.length + stored.postponed + requestIds.length;
}

/**
 * Retries continuously, in one replica.
 * @param options.lookUp finds what else may be due; neither it nor the retries wait for each other
 */
export function createFileRetries(options: {
  readonly database: Database;
  readonly ports: StorePorts;
  readonly logger: Logger;
  readonly telemetry: RetryTelemetry;
  readonly lookUp: () => Promise<unknown>;
}): Component {
  const { database, ports, logger, telemetry, lookUp } = options;
  const outage = createOutageLog({
    logger,
    waitingFor: 'stamping (STAMPING_URL), Postgres or the blob store, for content of joining requests',
  });
  async function retry(stopped: Promise<0>): Promise<number> {
    try {
      return await Promise.race([retryFiles(ports, telemetry), stopped]);
    } catch (error) {
      logger.warn({ err: error }, 'Files could not be tried again');
      return 0;
    }
  }
  async function look(stopped: Promise<0>): Promise<number> {
    try {
      await Promise.race([lookUp(), stopped]);
      outage.ended();
    } catch (error) {
      outage.failed(error);
    }
    return 0;
  }
  const leadership = createLeadership({
    url: database.url,
    name: `${database.schema}.retries`,
    logger,
    async lead(_session, signal) {
      // A move may be slow: a stop does not wait for it, since it can be repeated.
      const stopped = once(signal, 'abort').then((): 0 => 0);
      const rounds = async (round: typeof retry): Promise<void> => {
        while (!signal.aborted)
          if ((await round(stopped)) === 0) await delay(everyMs, undefined, { signal }).catch(() => {});
      };
      await Promise.all([rounds(retry), rounds(look)]);
    },
  });
  return { ...leadership, name: 'file retries' };
}
