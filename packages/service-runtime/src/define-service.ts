import type { Registry } from 'prom-client';
import type { Component } from './component.ts';
import type { Logger } from './logging/logger.ts';
import { createServiceMetrics } from './metrics/service-metrics.ts';
import { noTracing, type Tracing } from './tracing/tracing.ts';

/** What every service gets to report its state. */
export type Runtime = {
  readonly logger: Logger;
  /** For an unrecoverable error after the start: the process ends. */
  readonly fail: (error: unknown) => void;
  readonly tracing: Tracing;
  readonly metrics: Registry;
};

/**
 * Creates a service's components, in the order of their start, for {@link serviceMain} and tests.
 * @param create lists them, without effects
 */
export const defineService =
  <Config, Components extends readonly Component[] | Promise<readonly Component[]>>(
    service: string,
    create: (config: Config, runtime: Runtime) => Components,
  ) =>
  (
    config: Config,
    logger: Logger,
    fail: (error: unknown) => void,
    tracing: Tracing = noTracing,
    metrics: Registry = createServiceMetrics(service),
  ): Components => {
    tracing.countIn(metrics);
    return create(config, { logger, fail, tracing, metrics });
  };
