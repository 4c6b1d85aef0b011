import type { Hex } from '@indelible/identifiers';
import type { InternalAddress } from '@indelible/service-runtime';
import { requestJson } from './request-json.ts';

export type WebhookRequest = {
  readonly method: string;
  /** Below the webhooks, such as `/{id}/test`; empty for all of them. */
  readonly path: string;
  readonly account: Hex;
  readonly query: Readonly<Record<string, string>>;
  readonly json: unknown;
};

/** A response as it is passed on; a 204 has no body. */
export type WebhookResponse = { readonly status: number; readonly body: object | undefined };

/** Requests of webhooks, which notifications keeps. @throws UnavailableError; the signal's reason */
export type Webhooks = (request: WebhookRequest, signal: AbortSignal) => Promise<WebhookResponse>;

const service = 'notifications';
/** A test waits for the receiver's answer, 15 s at most. */
const timeoutMs = 20_000;

export const createWebhooks =
  (notifications: InternalAddress): Webhooks =>
  ({ method, path, account, query, json }, signal) =>
    requestJson(notifications, {
      ...{ service, method, body: json, timeoutMs, signal },
      path: `/internal/webhooks${path}?${new URLSearchParams({ ...query, account })}`,
      accepts: (status) => status < 500,
    });
