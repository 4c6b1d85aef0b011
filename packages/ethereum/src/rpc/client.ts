import { createEndpoint, type Endpoint } from './endpoint.ts';
import { isEndpointFault, RpcAnswerError, RpcUnavailableError } from './errors.ts';
import { createFailOver } from './fail-over.ts';

export type RpcCall = { readonly method: string; readonly params: readonly unknown[] };
export type RpcCallOptions = { readonly signal?: AbortSignal | undefined };
export type RpcOutcome<Result = unknown> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly error: RpcAnswerError };
export type RpcLogger = { warn(fields: object, message: string): void };

/** Every method rejects with the signal's reason when the signal aborts. */
export type Rpc = {
  /** @throws RpcUnavailableError, RpcAnswerError */
  call<Result>(method: string, params: readonly unknown[], options?: RpcCallOptions): Promise<Result>;
  /** One HTTP request; outcomes in the order of the calls. @throws RpcUnavailableError */
  batch(calls: readonly RpcCall[], options?: RpcCallOptions): Promise<readonly RpcOutcome[]>;
  /** Asked once, then remembered. @throws RpcUnavailableError, RpcAnswerError */
  chainId(): Promise<number>;
  /** Gives up what is under way; later calls are refused with RpcUnavailableError. */
  close(): void;
};

export type RpcSettings = {
  /** http or https, in the order of preference. */
  readonly urls: readonly string[];
  /** Of one attempt at one endpoint. */
  readonly timeoutMs: number;
  readonly maxResponseBytes?: number;
  readonly logger?: RpcLogger;
};

const defaultMaxResponseBytes = 64 * 1024 * 1024;
const restMs = 10_000;

/**
 * A JSON-RPC client over HTTP.
 * @throws TypeError when there is no URL, or one is not of http or https
 */
export function createRpc(settings: RpcSettings): Rpc {
  if (settings.urls.length === 0) throw new TypeError('an RPC client needs at least one endpoint');
  const closing = new AbortController();
  const endpoints = settings.urls.map((url) =>
    createEndpoint({
      url,
      timeoutMs: settings.timeoutMs,
      maxResponseBytes: settings.maxResponseBytes ?? defaultMaxResponseBytes,
      closing: closing.signal,
    }),
  );
  const strategy = createFailOver({
    endpoints,
    restMs,
    now: () => performance.now(),
    onUnavailable: (endpoint, error) =>
      settings.logger?.warn({ host: endpoint.host, fault: error.message }, 'an RPC endpoint is unavailable'),
  });

  let lastId = 0;
  let chainId: Promise<number> | undefined;
  const rpc: Rpc = {
    call: async <Result>(method: string, params: readonly unknown[], options?: RpcCallOptions): Promise<Result> => {
      const id = ++lastId;
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
      const outcome = await strategy(async (endpoint) => {
        const answer = await endpoint.send(body, options?.signal);
        return readOutcome(answer, id, method, endpoint);
      });
      if (!outcome.ok) throw outcome.error;
      return outcome.result as Result;
    },

    batch: async (calls, options) => {
      if (calls.length === 0) return [];
      const firstId = lastId + 1;
      lastId += calls.length;
      const body = JSON.stringify(
        calls.map(({ method, params }, i) => ({ jsonrpc: '2.0', id: firstId + i, method, params })),
      );
      return strategy(async (endpoint) => {
        const answer = await endpoint.send(body, options?.signal);
        if (!Array.isArray(answer))
          throw new RpcUnavailableError(`${endpoint.host} refused a batch: ${refusal(answer)}`);
        const byId = new Map(answer.map((each: unknown) => [isObject(each) ? each.id : undefined, each]));
        return calls.map(({ method }, i) => readOutcome(byId.get(firstId + i), firstId + i, method, endpoint));
      });
    },

    chainId: () => {
      chainId ??= rpc.call<unknown>('eth_chainId', []).then(readChainId);
      // A failure is not remembered.
      chainId.catch(() => {
        chainId = undefined;
      });
      return chainId;
    },

    close: () => closing.abort(),
  };
  return rpc;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function readOutcome(answer: unknown, id: number, method: string, endpoint: Endpoint): RpcOutcome {
  if (!isObject(answer)) throw new RpcUnavailableError(`${endpoint.host} gave no answer to ${method}`);
  const error = answer.error;
  if (isObject(error)) {
    const code = typeof error.code === 'number' ? error.code : 0;
    const message = typeof error.message === 'string' ? error.message : 'no message';
    if (isEndpointFault(code, message)) throw new RpcUnavailableError(`${endpoint.host} refused: ${message}`);
    // A node that could not read the request answers with the id null.
    if (answer.id !== id && answer.id !== null)
      throw new RpcUnavailableError(`${endpoint.host} answered another request`);
    return { ok: false, error: new RpcAnswerError(method, code, message, error.data) };
  }
  if (answer.id !== id) throw new RpcUnavailableError(`${endpoint.host} answered another request`);
  if (!('result' in answer)) throw new RpcUnavailableError(`${endpoint.host} gave no result to ${method}`);
  return { ok: true, result: answer.result };
}

const refusal = (answer: unknown): string =>
  isObject(answer) && isObject(answer.error) ? String(answer.error.message) : 'no array';

function readChainId(result: unknown): number {
  const id = typeof result === 'string' ? Number(result) : Number.NaN;
  if (!Number.isSafeInteger(id) || id <= 0) throw new RpcUnavailableError('the chain id is malformed');
  return id;
}
