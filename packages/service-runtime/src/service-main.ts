import { armFailpoints } from '@indelible/failpoints';
import type { Component } from './component.ts';
import { ConfigurationError, type Environment } from './config.ts';
import { configurationExitCode } from './exit-codes.ts';
import { readFailpoints } from './failpoints.ts';
import { createLogger, type Logger, type LogLevel } from './logger.ts';
import { describeNeighbour, type NeighbourAddresses, neighboursOf } from './neighbours/neighbours.ts';
import { watchNeighbours } from './neighbours/watch-neighbours.ts';
import { runService } from './run-service.ts';

/** The entry of a service's process: reads its configuration, or says in plain lines what is wrong with it; then runs it. */
export async function serviceMain<Config extends { readonly logLevel: LogLevel } & NeighbourAddresses>(options: {
  readonly service: string;
  readonly readConfig: (environment: Environment) => Config;
  readonly create: (
    config: Config,
    logger: Logger,
    fail: (error: unknown) => void,
  ) => readonly Component[] | Promise<readonly Component[]>;
}): Promise<void> {
  let config: Config;
  try {
    config = options.readConfig(process.env);
    armFailpoints(readFailpoints(process.env));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`${options.service}: ${error.message}\n`);
    process.exitCode = configurationExitCode;
    return;
  }
  const logger = createLogger({ service: options.service, level: config.logLevel });
  const neighbours = neighboursOf(config);
  logger.info({ node: process.version, neighbours: neighbours.map(describeNeighbour) }, 'starting');
  await runService({
    logger,
    // Of Redis the service's own connections report, which notice sooner.
    beside: watchNeighbours(
      neighbours.filter(({ variable }) => variable !== 'REDIS_URL'),
      logger,
    ),
    create: (fail) => options.create(config, logger, fail),
  });
}
