import { isError } from './errors.ts';

/**
 * What a handler's error implies about the message, for all consumers. The classes, and the fault policy's action for
 * each (docs/adr/0020-errors-of-consumers.md):
 *
 * - `permanent`: the message is invalid; a retry cannot succeed. Errors that say `retryable: false` (validation), and
 *   SQLSTATE classes 22 (data exception), 23 (constraint violation) except 23505, 54 (program limit). The batch is
 *   halved at once until the message is found, which is set aside.
 * - `programming`: TypeError, RangeError, ReferenceError, SyntaxError, AssertionError. As permanent, but set aside only
 *   when another message was handled between two failures: a defect that fails every message sets nothing aside.
 * - `unavailable`: certainly not the message but a dependency: connections, errors that say `retryable: true`, SQLSTATE
 *   classes 08, 25, 28, 3D, 58 and 57 except 57014, errno codes, Kafka. Retried until it is over; never counts against
 *   a message.
 * - `contended`: SQLSTATE classes 40, 53, 55, and 23505: lost races and lack of resources.
 * - `timeout`: SQLSTATE 57014 and a query that got no response in time: the server is slow, or the message needs too
 *   much work.
 * - `unknown`: everything else.
 *
 * The last three are retried, each a bounded number of times. A failure counts against a message only if other messages
 * of its topic were handled since its previous failure: a total outage sets nothing aside, however long it lasts.
 */
export type FaultClass = 'permanent' | 'programming' | 'unavailable' | 'contended' | 'timeout' | 'unknown';

/** By name, not class, to include errors of other realms. */
const programmingErrors: ReadonlySet<string> = new Set([
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'AssertionError',
]);

const connectionNames: ReadonlySet<string> = new Set([
  'TimeoutError',
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSNumberOfRetriesExceeded',
  'KafkaJSRequestTimeoutError',
  'MaxRetriesPerRequestError',
]);

/** Client errors known only by text: node-postgres' lost connection and full pool, ioredis' closed connection. */
const connectionWords =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed and is not queryable|Cannot use a pool after calling end|Connection is closed|fetch failed)/;

/** File system or socket errors, which say nothing of a message. */
const errno = /^E(?:AI_)?[A-Z0-9]{2,}$/;
const undici = /^UND_ERR_/;

const classOfSqlState = (state: string): FaultClass | undefined => {
  if (state === '23505') return 'contended';
  if (state === '57014') return 'timeout';
  switch (state.slice(0, 2)) {
    case '22':
    case '23':
    case '54':
      return 'permanent';
    case '40':
    case '53':
    case '55':
      return 'contended';
    // Connections, invalid transaction state (of a server that became read-only, or ended an idle one), a login that is refused while
    // its password is changed, a database that is not there yet, operators, I/O.
    case '08':
    case '25':
    case '28':
    case '3D':
    case '57':
    case '58':
      return 'unavailable';
    default:
      return undefined;
  }
};

const sqlState = /^[0-9][0-9A-Z]{4}$/;

const ownClass = (error: object): FaultClass | undefined => {
  if ('retryable' in error && typeof error.retryable === 'boolean')
    return error.retryable ? 'unavailable' : 'permanent';
  const { name, message } = isError(error) ? error : { name: '', message: '' };
  if ('code' in error && typeof error.code === 'string') {
    if (sqlState.test(error.code)) return classOfSqlState(error.code);
    // Node's argument errors are programming errors, with their own names.
    if (errno.test(error.code) && !error.code.startsWith('ERR_')) return 'unavailable';
    if (undici.test(error.code)) return 'unavailable';
  }
  if ('retriable' in error && error.retriable === true) return 'unavailable';
  if (message === 'Query read timeout') return 'timeout';
  if (connectionNames.has(name) || connectionWords.test(message)) return 'unavailable';
  return undefined;
};

const maxCauses = 5;

/**
 * The class of an error: its own, else that of its cause. A programming error counts last: `fetch` throws TypeErrors.
 */
export const faultClassOf = (thrown: unknown): FaultClass => {
  let isProgramming = false;
  let error = thrown;
  for (let depth = 0; depth <= maxCauses && typeof error === 'object' && error !== null; depth += 1) {
    const own = ownClass(error);
    if (own !== undefined) return own;
    isProgramming ||= 'name' in error && programmingErrors.has(String(error.name));
    if (!('cause' in error)) break;
    error = error.cause;
  }
  return isProgramming ? 'programming' : 'unknown';
};

/** Whether a retry may succeed, since neither the message nor the code caused the error. */
export const isTemporary = (error: unknown): boolean => {
  const fault = faultClassOf(error);
  return fault === 'unavailable' || fault === 'contended' || fault === 'timeout';
};
