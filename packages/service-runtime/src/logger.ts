import { type DestinationStream, pino } from 'pino';

/**
 * The port every part logs through: structured fields, then a sentence. Keys, tokens, content and addresses of
 * neighbours with passwords never go in (I10); known places of such are redacted as a second line of defence.
 */
export type Logger = {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: Record<string, unknown>): Logger;
};

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const redacted = [
  'authorization',
  'password',
  'apiKey',
  'token',
  'secret',
  'seed',
  'privateKey',
  'data',
  'rawTransaction',
];

/** A logger that writes one JSON object a line to standard output, or to `destination`. */
export function createLogger(
  options: { readonly service: string; readonly level: LogLevel },
  destination?: DestinationStream,
): Logger {
  const settings = {
    level: options.level,
    base: { service: options.service },
    messageKey: 'message',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: redacted.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
    serializers: { error: serializeError },
  };
  return destination === undefined ? pino(settings) : pino(settings, destination);
}

/** Names, messages and codes of an error and its causes; the stack of the outermost. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const causes: string[] = [];
  for (let cause = error.cause; cause instanceof Error && causes.length < 5; cause = cause.cause)
    causes.push(`${cause.name}: ${cause.message}`);
  const code = (error as { code?: unknown }).code;
  return {
    name: error.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    ...(causes.length === 0 ? {} : { causes }),
    stack: error.stack,
  };
}
