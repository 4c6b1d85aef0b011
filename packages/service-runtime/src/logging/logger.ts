import { isNativeError } from 'node:util/types';
import { type DestinationStream, type LoggerOptions, pino } from 'pino';
import { version } from '../version.ts';
import { errorForLog } from './error-for-log.ts';
import { withoutSecrets } from './known-secrets.ts';

/**
 * The port every part logs through: structured fields, then a sentence. Keys, tokens, content and server addresses with
 * passwords are never logged (I10); known fields of these are redacted as a second line of defence.
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

const redacted: ReadonlySet<string> = new Set([
  'authorization',
  'password',
  'apiKey',
  'token',
  'secret',
  'seed',
  'privateKey',
  'data',
  'rawTransaction',
]);
const censored = '[redacted]';

/** A logger that writes one JSON object a line to standard output, or to `destination`. */
export function createLogger(
  options: { readonly service: string; readonly level: LogLevel },
  destination?: DestinationStream,
): Logger {
  const settings = {
    level: options.level,
    base: { service: options.service, version },
    messageKey: 'msg',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: redact },
    // the second line of defence, by value: for whatever a library puts into an error
    hooks: { streamWrite: withoutSecrets },
    serializers: { err: (value: unknown) => (isThrown(value) ? errorForLog(value) : value) },
  };
  return destination === undefined ? toStandardOutput(settings) : pino(settings, destination);
}

/**
 * Lines of about one turn share a write: otherwise each request would cost a system call. Warnings are written at once.
 * While the output is not read, some lines are buffered; more are dropped and counted.
 */
function toStandardOutput(settings: LoggerOptions): Logger {
  // As bytes: with text, each further line would scan all waiting lines.
  const kept = { dest: 1, sync: false, minLength: writtenAtOnce, maxLength: mostKept, contentMode: 'buffer' } as const;
  const output = pino.destination(kept) as unknown as ByteOutput;
  const take = (line: string): void => void output.write(Buffer.from(line));
  let due: NodeJS.Timeout | undefined;
  let leftOut = 0;
  output.on('drop', () => {
    leftOut += 1;
  });
  output.on('drain', () => {
    if (leftOut === 0) return;
    const lines = leftOut;
    leftOut = 0;
    logger.warn({ lines }, 'Log lines dropped: the output was not read fast enough');
  });
  const write = (): void => {
    due = undefined;
    output.flush();
  };
  const logMethod: NonNullable<LoggerOptions['hooks']>['logMethod'] = function (parameters, method, level) {
    method.apply(this, parameters);
    if (level >= warnLevel) output.flush();
    // also after a warning: a flush while the line before is being written does nothing
    if (due === undefined) due = setTimeout(write, writtenWithinMs).unref();
  };
  const logger = pino({ ...settings, hooks: { ...settings.hooks, logMethod } }, { write: take });
  return logger;
}

/** Accepts bytes instead of text, unlike its declaration. */
type ByteOutput = {
  write(bytes: Buffer): boolean;
  flush(): void;
  on(event: 'drop' | 'drain', listener: () => void): void;
};

const writtenAtOnce = 8 * 1024;
const mostKept = 4 * 1024 * 1024;
const writtenWithinMs = 50;
const warnLevel = 40;

/** Not what {@link errorForLog} has made of it. */
const isThrown = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || value instanceof Error || isNativeError(value);

/** Redacts values of those names, also nested ones; pino's own redaction copies every line's fields. */
function redact(fields: Record<string, unknown>): Record<string, unknown> {
  let safe = fields;
  for (const [name, value] of Object.entries(fields)) {
    const shown = redacted.has(name) ? censored : redactInside(value);
    if (shown === value) continue;
    if (safe === fields) safe = { ...fields };
    safe[name] = shown;
  }
  return safe;
}

function redactInside(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  const names = Object.keys(value).filter((name) => redacted.has(name));
  return names.length === 0 ? value : { ...value, ...Object.fromEntries(names.map((name) => [name, censored])) };
}
