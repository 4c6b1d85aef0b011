import type { Hex } from '@indelible/identifiers';
import { type InternalAddress, UnavailableError } from '@indelible/service-runtime';

export type WebhookRequest = {
  readonly method: string;
  /** Below the webhooks, such as `/{id}/test`; empty for all of them. */
  readonly path: string;
  readonly account: Hex;
  readonly query: Readonly<Record<string, string>>;
  readonly json: unknown;
};

/** An answer as it is passed on; without a body it is a 204. */
export type WebhookResponse = { readonly status: number; readonly body: object | undefined };

/** Requests of webhooks, which notifications keeps. @throws UnavailableError; the signal's reason */
export type Webhooks = (request: WebhookRequest, signal: AbortSignal) => Promise<WebhookResponse>;

/** A test waits for the receiver's answer, 15 s at most. */
const timeoutMs = 20_000;

export function createWebhooks({ url, headers }: InternalAddress): Webhooks {
  return async ({ method, path, account, query, json }, signal) => {
    const search = new URLSearchParams({ ...query, account });
    try {
      const response = await fetch(`${url}/internal/webhooks${path}?${search}`, {
        method,
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        headers: { ...headers, ...(json !== undefined && { 'Content-Type': 'application/json' }) },
        ...(json !== undefined && { body: JSON.stringify(json) }),
      });
      if (response.status >= 500) {
        await response.body?.cancel();
        throw new UnavailableError(`notifications answered ${response.status}`);
      }
      return {
        status: response.status,
        body: response.status === 204 ? undefined : ((await response.json()) as object),
      };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof UnavailableError) throw error;
      throw new UnavailableError('notifications does not answer', { cause: error });
    }
  };
}
