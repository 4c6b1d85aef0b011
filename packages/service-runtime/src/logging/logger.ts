import { isNativeError } from 'node:util/types';
import { type DestinationStream, type LoggerOptions, pino } from 'pino';
import { version } from '../version.ts';
import { errorForLog } from './error-for-log.ts';
import { withoutSecrets } from './known-secrets.ts';

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
    // the second line of defence, and the one that knows the values: whatever a library has put into an error
    hooks: { streamWrite: withoutSecrets },
    serializers: { err: (value: unknown) => (isThrown(value) ? errorForLog(value) : value) },
  };
  return destination === undefined ? toStandardOutput(settings) : pino(settings, destination);
}

/**
 * Lines of one turn or so are one write: a line a request would be a system call a request. Warnings are written at once.
 * While the output is not read, some are kept; more are dropped, and counted when there is room again.
 */
function toStandardOutput(settings: LoggerOptions): Logger {
  // As bytes: it would go through the text of all lines that wait with each further one.
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

/** What takes bytes in place of texts, unlike its declaration. */
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

/** The fields without values of those names, in them or in what they hold; pino's own way copies every line's fields. */
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
