import type { ServerResponse } from 'node:http';

export interface ProxiedCall {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly id: unknown;
}
export interface ProxiedAnswer {
  readonly jsonrpc: '2.0';
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/**
 * How calls of a method are treated.
 * - `error`: answered with a JSON-RPC error, not passed on.
 * - `swallow`: passed on, but never answered: a time-out after the node accepted.
 * - `ignore`: neither passed on nor answered.
 * - `truncate`: passed on; half of the answer comes, as if it were all.
 * - `break-off`: passed on; the connection is reset within the answer.
 * - `reset`: the connection is reset at once.
 * - `status`: an HTTP status and body instead of an answer; passed on before if set, as by a proxy that timed out.
 * - `page`: status 200 with text that is no JSON.
 * - `wrong-id`: passed on; the answer bears another id.
 * - `result`: another result instead of the node's, such as another chain's id.
 * - `change`: passed on; what the function makes of the node's result.
 */
export type ProxyFault =
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly data?: unknown }
  | { readonly kind: 'swallow' | 'ignore' | 'truncate' | 'break-off' | 'reset' | 'wrong-id' }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly retryAfter?: string;
      readonly body?: string;
      readonly passedOn?: boolean;
    }
  | { readonly kind: 'page'; readonly body: string }
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'change'; readonly change: (result: unknown, call: ProxiedCall) => unknown };

/** Whether the node receives the call. */
export function isPassedOn(fault: ProxyFault | undefined): boolean {
  switch (fault?.kind) {
    case 'error':
    case 'ignore':
    case 'reset':
    case 'page':
    case 'result':
      return false;
    case 'status':
      return fault.passedOn === true;
    default:
      return true;
  }
}

/** One call's answer as the fault changes it. */
export function changeAnswer(
  fault: ProxyFault | undefined,
  call: ProxiedCall,
  answer: ProxiedAnswer | undefined,
): ProxiedAnswer {
  const given: ProxiedAnswer = answer ?? { jsonrpc: '2.0', id: call.id };
  switch (fault?.kind) {
    case 'error': {
      const { code, message, data } = fault;
      return { jsonrpc: '2.0', id: call.id, error: { code, message, ...(data === undefined ? {} : { data }) } };
    }
    case 'wrong-id':
      return { ...given, id: 'of another call' };
    case 'result':
      return { jsonrpc: '2.0', id: call.id, result: fault.result };
    case 'change':
      return 'result' in given ? { ...given, result: fault.change(given.result, call) } : given;
    default:
      return given;
  }
}

/** Writes an answer, or what the fault makes of it, which may be nothing. */
export function writeAnswer(response: ServerResponse, body: string, faults: readonly ProxyFault[]): void {
  const fault = faults.find(({ kind }) => damages.has(kind));
  switch (fault?.kind) {
    case 'swallow':
    case 'ignore':
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'break-off':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
      response.write(body.slice(0, body.length >> 1), () => response.socket?.resetAndDestroy());
      return;
    case 'truncate':
      response.writeHead(200, { 'content-type': 'application/json' }).end(body.slice(0, body.length >> 1));
      return;
    case 'page':
      response.writeHead(200, { 'content-type': 'text/html' }).end(fault.body);
      return;
    case 'status':
      response
        .writeHead(fault.status, fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter })
        .end(fault.body ?? '');
      return;
    default:
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  }
}

/** Faults of a whole response; the others are of one call. */
const damages: ReadonlySet<ProxyFault['kind']> = new Set([
  'swallow',
  'ignore',
  'reset',
  'break-off',
  'truncate',
  'page',
  'status',
]);
