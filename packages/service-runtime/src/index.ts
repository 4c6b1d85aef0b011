export { type Component, startAll, stopAll } from './component.ts';
export { ConfigurationError, type Environment, readEnvironment } from './config.ts';
export { isRetryable, PermanentError, UnavailableError } from './errors.ts';
export { closeServer, createInternalServer, listen, portOf } from './internal-server.ts';
export { createLogger, type Logger, type LogLevel, logLevels } from './logger.ts';
export { runService } from './run-service.ts';
export { serviceMain } from './service-main.ts';
export { createTurns } from './turns.ts';
