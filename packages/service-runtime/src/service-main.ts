import type { Component } from './component.ts';
import { ConfigurationError } from './config.ts';
import { configurationExitCode } from './exit-codes.ts';
import { armFailpoints } from './failpoints/failpoint.ts';
import { readFailpoints } from './failpoints/read-failpoints.ts';
import { withoutSecrets } from './logging/known-secrets.ts';
import { createLogger, type Logger, type LogLevel } from './logging/logger.ts';
import { describeNeighbour, type NeighbourAddresses, neighboursOf } from './neighbours/neighbours.ts';
import { watchNeighbours } from './neighbours/watch-neighbours.ts';
import { runService } from './run-service.ts';
import { inspectSettings } from './settings/read-settings.ts';
import type { Setting } from './settings/setting.ts';
import { readTracing, type TracingConfig } from './tracing/config.ts';
import { createTracing } from './tracing/create-tracing.ts';
import type { Tracing } from './tracing/tracing.ts';

/** The entry of a service's process: reads its configuration, or prints its faults in plain lines; then runs it. */
export async function serviceMain<
  Config extends { readonly logLevel: LogLevel; readonly leaveMs: number } & NeighbourAddresses,
>(options: {
  readonly service: string;
  readonly settings: Setting<Config>;
  readonly create: (
    config: Config,
    logger: Logger,
    fail: (error: unknown) => void,
    tracing: Tracing,
  ) => readonly Component[] | Promise<readonly Component[]>;
}): Promise<void> {
  const { faults, value: config, shown } = inspectSettings(options.settings, process.env);
  let traced: TracingConfig | undefined;
  try {
    if (faults.length > 0) throw new ConfigurationError(faults.map(({ name, text }) => `${name} ${text}`));
    traced = readTracing(process.env, options.service);
    armFailpoints(readFailpoints(process.env));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(withoutSecrets(`${options.service}: ${error.message}\n`));
    process.exitCode = configurationExitCode;
    return;
  }
  const logger = createLogger({ service: options.service, level: config.logLevel });
  reportWarnings(logger);
  const neighbours = neighboursOf(config);
  logger.info(
    {
      node: process.version,
      neighbours: neighbours.map(describeNeighbour),
      settings: shown,
      traces: traced === undefined ? 'off' : new URL(traced.exporter.url).host,
    },
    'starting',
  );
  const tracing = await createTracing(traced, logger);
  await runService({
    logger,
    leaveMs: config.leaveMs,
    // Not Redis: the service's own connections notice and report sooner.
    beside: watchNeighbours(
      neighbours.filter(({ name }) => name !== 'Redis'),
      logger,
    ),
    create: (fail) => options.create(config, logger, fail, tracing),
  });
  await tracing.stop();
}

/** Node prints them to stderr, in lines of another shape. */
function reportWarnings(logger: Logger): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning) => logger.warn({ err: warning }, 'Node warns'));
}
