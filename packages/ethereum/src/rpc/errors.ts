/**
 * No endpoint gave a usable answer: network, time-out, 429, 5xx, truncated or over-long JSON, or an answer of a shape
 * the method does not have. The call may have taken effect (a broadcast whose answer was lost). Worth a retry.
 */
export class RpcUnavailableError extends Error {
  override readonly name = 'RpcUnavailableError';
  readonly retryable = true;
}

/** The node answered with a JSON-RPC error. The message is the node's own sentence. */
export class RpcAnswerError extends Error {
  override readonly name = 'RpcAnswerError';
  readonly method: string;
  readonly code: number;
  /** What the node adds, the return data of a reverted call for one. */
  readonly data: unknown;
  readonly retryable: boolean;

  constructor(method: string, code: number, message: string, data: unknown) {
    super(message);
    this.method = method;
    this.code = code;
    this.data = data;
    this.retryable = isPassing(method, code, message);
  }
}

export const isRpcError = (error: unknown): error is RpcUnavailableError | RpcAnswerError =>
  error instanceof RpcUnavailableError || error instanceof RpcAnswerError;

/** Codes that say nothing about the request, only about the node or the moment. */
const passingCodes: ReadonlySet<number> = new Set([
  -32603, // internal error
  -32002, // resource unavailable (EIP-1474); geth: request timed out
  -32005, // limit exceeded (EIP-1474)
]);
/** To this method besu answers codes of EIP-1474 in another meaning (-32005: gas limit exceeds the block's). */
const codesOfItsOwn = 'eth_sendRawTransaction';

/** Sentences of a node that lags behind, is starting, or had no time. */
const passingSentences = [
  'header not found',
  'unknown block',
  'block not found',
  'missing trie node',
  'state is not available',
  'historical state',
  'execution timeout',
  'request timed out',
  'timeout',
  'temporarily',
  'try again',
  'syncing',
  'not synced',
];

/** What a contract says stands in the sentence of its revert, and must not be read as the node's. */
const isRevert = (code: number, sentence: string): boolean => code === 3 || sentence.includes('revert');

const isPassing = (method: string, code: number, message: string): boolean => {
  const sentence = message.toLowerCase();
  if (isRevert(code, sentence)) return false;
  const byCode = method !== codesOfItsOwn && passingCodes.has(code);
  return byCode || passingSentences.some((part) => sentence.includes(part));
};

/** Sentences by which a provider refuses its customer, not the request: another endpoint may well answer. */
const endpointSentences = [
  'rate limit',
  'rate-limit',
  'too many requests',
  'request count exceeded',
  'compute units',
  'no available nodes',
  'no backend',
  'service unavailable',
  'bad gateway',
  'unauthorized',
  'invalid api key',
];

/** True when a JSON-RPC error is about the endpoint, so that the next one is to be asked. */
export const isEndpointFault = (code: number, message: string): boolean => {
  const sentence = message.toLowerCase();
  if (isRevert(code, sentence)) return false;
  return code === 429 || code === -32029 || endpointSentences.some((part) => sentence.includes(part));
};
