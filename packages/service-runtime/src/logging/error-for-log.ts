import { isError } from '../errors.ts';
import { type FaultClass, faultClassOf } from '../fault-class.ts';
import { withoutSecrets } from './known-secrets.ts';

/** The field `err` of a log line. */
export type ErrorForLog = {
  readonly name: string;
  readonly message?: string;
  readonly code?: string | number;
  /** What caused it, the nearest first, each as `name: message`. */
  readonly causes?: readonly string[];
  /** The stack, only for unexpected errors. */
  readonly stack?: string;
};

const maxMessage = 1_000;
const longestSecret = 16 * 1_024;
const maxStack = 4_000;
const maxCauses = 5;

/** Unreachable or busy servers and refused requests are normal: their stacks are of no use. */
const unforeseen: ReadonlySet<FaultClass> = new Set(['programming', 'unknown']);
/** Their texts do not quote input. */
const ofTheSurroundings: ReadonlySet<FaultClass> = new Set(['unavailable', 'contended', 'timeout']);
/** Node's codes for a stream or request aborted by its client, or by a stop. */
const givenUp: ReadonlySet<unknown> = new Set([
  'AbortError',
  'ABORT_ERR',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
]);

/**
 * What a log line says of an error.
 * @param options.quotesInput for an error that a message caused: parsers and constraints quote input (I10), so their
 * text is omitted. Dead letters hold it
 */
export function errorForLog(thrown: unknown, options: { readonly quotesInput?: boolean } = {}): ErrorForLog {
  if (!isError(thrown)) return { name: 'Error', message: bounded(String(thrown)) };
  const fault = faultClassOf(thrown);
  const chain = chainOf(thrown);
  const root = chain.at(-1) ?? thrown;
  const code = codeOf(thrown) ?? codeOf(root);
  const isShown = options.quotesInput !== true || ofTheSurroundings.has(fault);
  const causes = chain.slice(1).map((cause) => (isShown ? `${cause.name}: ${reasonOf(cause)}` : cause.name));
  const stack = unforeseen.has(fault) && !givenUp.has(code) && !givenUp.has(root.name) ? framesOf(root) : '';
  return {
    name: thrown.name,
    ...(isShown ? { message: bounded(reasonOf(thrown)) } : {}),
    ...(code === undefined ? {} : { code }),
    ...(causes.length === 0 ? {} : { causes: causes.map(bounded) }),
    ...(stack === '' ? {} : { stack }),
  };
}

/** A truncated secret cannot be recognized, so secrets are removed first (I10). */
const bounded = (text: string): string =>
  withoutSecrets(text.slice(0, maxMessage + longestSecret)).slice(0, maxMessage);

/** What went wrong in one line. */
export function reasonOf(error: unknown): string {
  if (!isError(error)) return String(error);
  // both addresses of a name refused: the message of the group is empty
  if (error.message === '' && 'errors' in error && Array.isArray(error.errors))
    return error.errors.map(reasonOf).join('; ');
  if (error.message === 'fetch failed' && error.cause !== undefined) return reasonOf(error.cause);
  return error.message.replaceAll(/\s*\n\s*/g, ' ').trim();
}

function chainOf(error: Error): readonly Error[] {
  const chain = [error];
  for (let cause = error.cause; isError(cause) && chain.length <= maxCauses; cause = cause.cause) chain.push(cause);
  return chain;
}

function codeOf(error: Error): string | number | undefined {
  const code: unknown = 'code' in error ? error.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? code : undefined;
}

/** Without the message, which has its own field or is omitted. */
function framesOf({ name, message, stack = '' }: Error): string {
  const head = stack.startsWith(`${name}: ${message}`) ? stack.slice(name.length + 2 + message.length) : stack;
  return head
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim())
    .join('\n')
    .slice(0, maxStack);
}
