import type { Authenticator } from '@indelible/accounts';
import type { Component, Logger, Tracing } from '@indelible/service-runtime';
import type { Registry } from 'prom-client';
import type { Config } from '../../config.ts';
import { createByteBudget } from '../../limits/byte-budget.ts';
import type { RateLimiter } from '../../limits/rate-limiter.ts';
import { createAdmission } from './admission.ts';
import { createEdge, type EdgeOptions } from './edge.ts';
import { createFlowWatch } from './flow-watch.ts';
import { createRequestLog } from './request-log.ts';
import { createEdgeServer } from './server.ts';

/** The public server with its edge, in front of the operations. */
export function createApi(
  config: Config,
  options: Pick<EdgeOptions, 'document' | 'handlers' | 'shortPath'> & {
    readonly authenticator: Pick<Authenticator, 'authenticate' | 'known'>;
    readonly rateLimiter: RateLimiter;
    readonly endStreams: () => void;
    readonly hurry: () => void;
    readonly logger: Logger;
    readonly metrics: Registry;
    readonly tracing: Tracing;
  },
): Component & { port(): number } {
  const { endStreams, hurry, logger, metrics, ...edge } = options;
  const admission = createAdmission({ ...config, metrics });
  return createEdgeServer({
    host: config.httpHost,
    port: config.httpPort,
    app: createEdge({
      ...edge,
      admission,
      byteBudget: createByteBudget({ ...config, metrics }),
      log: createRequestLog(logger, metrics),
      watch: createFlowWatch(config),
      publicUrl: config.publicUrl,
      shownUrl: config.publicUrl ?? `http://127.0.0.1:${config.httpPort}`,
      corsOrigins: config.corsOrigins,
      now: Date.now,
    }),
    admission,
    maxConnections: config.maxConnections,
    stalledMs: config.stalledMs,
    drainMs: config.drainMs,
    endStreams,
    hurry,
  });
}
