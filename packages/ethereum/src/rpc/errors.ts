import { meaningOfAnswer, type RpcMeaning } from './node-answers.ts';

/**
 * Why there was no usable answer.
 * - `unreachable`: no connection, the request was not sent.
 * - `refused`: the endpoint refuses its customer (401, 403, …): not passed on to a node.
 * - `rate-limited`: 429 or a provider's equivalent; not passed on.
 * - `no-answer`: time-out, broken connection, 5xx, truncated or no JSON, an answer to another request, or of another
 *   shape than the method's. A broadcast may have been accepted.
 * - `too-long`: the response is longer than this client accepts, at each endpoint that was used.
 * - `behind`: no endpoint has the blocks that this client has seen.
 * - `wrong-chain`: the endpoint serves another chain; no request was sent.
 * - `closed`: this client is closed.
 */
export type RpcFault =
  | 'unreachable'
  | 'refused'
  | 'rate-limited'
  | 'no-answer'
  | 'too-long'
  | 'behind'
  | 'wrong-chain'
  | 'closed';

/** No endpoint gave a usable answer. The call may have taken effect (a broadcast whose answer was lost). Worth a retry. */
export class RpcUnavailableError extends Error {
  override readonly name = 'RpcUnavailableError';
  readonly retryable = true;
  readonly fault: RpcFault;
  /** When the endpoint said to come back. */
  readonly retryAfterMs: number | undefined;
  readonly meaning: RpcMeaning;

  constructor(
    message: string,
    options: ErrorOptions & { readonly fault?: RpcFault; readonly retryAfterMs?: number } = {},
  ) {
    super(message, options);
    this.fault = options.fault ?? 'no-answer';
    this.retryAfterMs = options.retryAfterMs;
    this.meaning = meaningOfFault(this.fault, this.retryAfterMs);
  }
}

function meaningOfFault(fault: RpcFault, retryAfterMs: number | undefined): RpcMeaning {
  switch (fault) {
    case 'no-answer':
    case 'too-long':
      return { kind: 'unknown-outcome' };
    case 'rate-limited':
      return { kind: 'rate-limited', retryAfterMs };
    case 'behind':
      return { kind: 'behind' };
    case 'unreachable':
    case 'refused':
    case 'wrong-chain':
    case 'closed':
      return { kind: 'node-fault' };
  }
}

/** The node answered with a JSON-RPC error. The message is the node's own sentence. */
export class RpcAnswerError extends Error {
  override readonly name = 'RpcAnswerError';
  readonly method: string;
  readonly code: number;
  /** What the node adds, such as the return data of a reverted call. */
  readonly data: unknown;
  readonly meaning: RpcMeaning;
  readonly retryable: boolean;

  constructor(method: string, code: number, message: string, data: unknown) {
    super(message);
    this.method = method;
    this.code = code;
    this.data = data;
    this.meaning = meaningOfAnswer({ method, code, message, data });
    this.retryable = worthARetry.has(this.meaning.kind);
  }
}

const worthARetry: ReadonlySet<RpcMeaning['kind']> = new Set([
  'rate-limited',
  'behind',
  'unknown-outcome',
  'node-fault',
]);

export const isRpcError = (error: unknown): error is RpcUnavailableError | RpcAnswerError =>
  error instanceof RpcUnavailableError || error instanceof RpcAnswerError;

/** What an error of this package means for the request; unknown for any other error. */
export const meaningOf = (error: unknown): RpcMeaning =>
  isRpcError(error) ? error.meaning : { kind: 'unknown-outcome' };
