import type { RpcAnswerError, RpcFault } from './errors.ts';

export type RpcCall = { readonly method: string; readonly params: readonly unknown[] };
export type RpcCallOptions = { readonly signal?: AbortSignal | undefined };
export type RpcOutcome<Result = unknown> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly error: RpcAnswerError };
export type RpcLogger = { warn(fields: object, message: string): void };

/** Every method rejects with the signal's reason when the signal aborts. */
export type Rpc = {
  /** eth_sendRawTransaction goes to all endpoints at once. @throws RpcUnavailableError, RpcAnswerError */
  call<Result>(method: string, params: readonly unknown[], options?: RpcCallOptions): Promise<Result>;
  /** One HTTP request; outcomes in the order of the calls. No broadcasts. @throws RpcUnavailableError, TypeError */
  batch(calls: readonly RpcCall[], options?: RpcCallOptions): Promise<readonly RpcOutcome[]>;
  /**
   * Queried once, then cached: the configured one if an endpoint serves it, else that of an endpoint.
   * @throws RpcUnavailableError, RpcAnswerError
   */
  chainId(): Promise<number>;
  /** Abandons calls in flight; later calls are refused with RpcUnavailableError. */
  close(): void;
};

/** What is known of one endpoint. It is named by its host, since paths often hold keys. */
export type RpcEndpointStatus = {
  readonly host: string;
  /** Preferred: of the right chain, not failing, not rate-limited, not lagging. */
  readonly isWell: boolean;
  readonly chain: 'unchecked' | 'right' | 'wrong';
  /** Since its last good answer. */
  readonly consecutiveFaults: number;
  /** Mean of single calls; undefined before the first answer. */
  readonly latencyMs: number | undefined;
  /** The highest block it reported. */
  readonly head: number | undefined;
};

/** For metrics: every field is of low cardinality. `back`: an endpoint is usable again. */
export type RpcEvent =
  | { readonly kind: 'fault'; readonly host: string; readonly fault: RpcFault }
  | { readonly kind: 'out'; readonly host: string; readonly reason: 'wrong-chain' }
  | { readonly kind: 'back'; readonly host: string }
  | { readonly kind: 'hedged'; readonly host: string; readonly won: boolean };

/** A client that reports the state of its endpoints. */
export type RpcClient = Rpc & {
  endpoints(): readonly RpcEndpointStatus[];
  /** Queries every endpoint's chain and head now. Never rejects. */
  inspect(): Promise<void>;
};

export type RpcSettings = {
  /** http or https, in the order of preference. */
  readonly urls: readonly string[];
  /** Of one attempt at one endpoint. */
  readonly timeoutMs: number;
  /** Of a call with all its attempts; the last may take `timeoutMs` more. Three times `timeoutMs` unless given. */
  readonly totalMs?: number;
  readonly maxResponseBytes?: number;
  /** An endpoint of another chain is not used. Not checked unless given. */
  readonly chainId?: number;
  /** How far an endpoint's head may be behind the highest that was seen: the chain's profile's, or 3, unless given. */
  readonly maxLagBlocks?: number;
  /** How old the knowledge of heads may be when the chain's end is read (1 s); not read if there is one endpoint. */
  readonly headMaxAgeMs?: number;
  /** How often a read goes through all endpoints before it is given up (3). */
  readonly rounds?: number;
  /** Share of the reads that may be sent twice when the first endpoint is slow (0.1; 0: none). */
  readonly hedgeShare?: number;
  /** The delay before a read is sent twice; learned from the response times unless given. */
  readonly hedgeAfterMs?: number;
  readonly logger?: RpcLogger;
  readonly onEvent?: (event: RpcEvent) => void;
};
