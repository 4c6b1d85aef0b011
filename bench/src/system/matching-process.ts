import { tmpdir } from 'node:os';
import { createDatabase } from '@indelible/postgres';
import { createInternalServer, createLogger, startAll } from '@indelible/service-runtime';
import { createRoutes } from '../../../services/verification/src/api/routes.ts';
import { createFairSeats } from '../../../services/verification/src/matching/fair-seats.ts';
import { createMatchingSessions } from '../../../services/verification/src/matching/sessions.ts';
import { schema } from '../../../services/verification/src/migrations/migrations.ts';
import { createCursorWatch } from '../../../services/verification/src/projections/cursor-watch.ts';
import { createDiskBudget } from '../../../services/verification/src/spooling/disk-budget.ts';

/**
 * The part of verification that matches, without its projections, in a process of its own, so that its memory is its own.
 * It is told of its database by its first message, tells its URL when it can be asked, and ends with whoever started it.
 */
process.once('message', async ({ databaseUrl: url }: { readonly databaseUrl: string }) => {
  const logger = createLogger({ service: 'bench', level: 'error' });
  const applicationName = 'bench matching';
  const sessions = () => createMatchingSessions({ url, schema, applicationName, maxSessions: 2, logger });
  const watch = createCursorWatch({ url, schema, logger });
  const server = createInternalServer({
    host: '127.0.0.1',
    port: 0,
    logger,
    components: () => [],
    routes: createRoutes({
      database: createDatabase({ url, schema, applicationName, logger }),
      watch,
      places: createFairSeats({ seats: 4, perAccount: 4, maxWaiting: 4, waitMs: 60_000 }),
      sessions: { small: sessions(), large: sessions() },
      spooling: { directory: tmpdir(), budget: createDiskBudget(2 ** 32) },
      logger,
    }),
  });
  await startAll([watch, server]);
  process.send?.({ url: `http://127.0.0.1:${server.port()}` });
});
process.once('disconnect', () => process.exit());
