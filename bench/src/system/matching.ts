import { tmpdir } from 'node:os';
import { createInternalServer, createLogger, internalRoutes, startAll } from '@indelible/service-runtime';
import { verifyCollectionRoute } from '../../../services/verification/src/api/routes.ts';
import { createFairSeats } from '../../../services/verification/src/matching/fair-seats.ts';
import { createMatchingSessions } from '../../../services/verification/src/matching/sessions.ts';
import { createCursorWatch } from '../../../services/verification/src/projections/cursor-watch.ts';
import { schema } from '../../../services/verification/src/schema.ts';
import { createDiskBudget } from '../../../services/verification/src/spooling/disk-budget.ts';

/** The part of verification that matches, without its projections. */
export async function serveMatching({ databaseUrl: url }: { readonly databaseUrl: string }) {
  const logger = createLogger({ service: 'bench', level: 'error' });
  const applicationName = 'bench matching';
  const sessions = () => createMatchingSessions({ url, schema, applicationName, maxSessions: 2, logger });
  const watch = createCursorWatch({ url, schema, logger });
  const server = createInternalServer({
    host: '127.0.0.1',
    port: 0,
    logger,
    components: () => [],
    routes: internalRoutes(logger, {
      'POST /internal/collections/verify': verifyCollectionRoute({
        watch,
        places: createFairSeats({ seats: 4, perAccount: 4, maxWaiting: 4, waitMs: 60_000 }),
        sessions: { small: sessions(), large: sessions() },
        spooling: { directory: tmpdir(), budget: createDiskBudget(2 ** 32) },
        logger,
      }),
    }),
  });
  await startAll([watch, server]);
  return { url: `http://127.0.0.1:${server.port()}` };
}
