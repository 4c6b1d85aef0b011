import { type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { createCheckedAgents } from './checked-agents.ts';
import { type AddressLookup, createNameServerLookup } from './checked-lookup.ts';
import { exchange } from './exchange.ts';
import { RequestFault, type WebhookFault } from './webhook-fault.ts';
import { faultOfWebhookUrl, hostOf, type UrlOptions } from './webhook-url.ts';

export type WebhookRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
};

export type WebhookAnswer = {
  /** Any but 3xx, which is the fault `redirect`. */
  readonly status: number;
  /** The first KiB, with spaces for control characters. */
  readonly body: string;
  readonly durationMs: number;
  /** The header as it came. */
  readonly retryAfter?: string;
};

export type WebhookClientOptions = UrlOptions & {
  /** Of everything: resolution, connection, request and response. */
  readonly timeoutMs?: number;
  readonly lookup?: AddressLookup;
  /** Certificates (PEM) to trust instead of the well-known ones. */
  readonly ca?: string;
};

export type WebhookClient = {
  /**
   * Posts once. Rejects when its signal aborts, with its reason, or when the client is closed; all else is a response
   * or a fault.
   */
  send(request: WebhookRequest): Promise<WebhookAnswer | WebhookFault>;
  /** Ends all connections, those in use as well. */
  close(): Promise<void>;
};

const maxHeaderBytes = 16 * 1024;
const ours = { 'user-agent': 'Indelible-Webhooks/1', accept: '*/*', 'accept-encoding': 'identity' };

/**
 * Posts to URLs chosen by strangers: never to an internal address, never beyond the deadline, never following
 * redirects.
 */
export function createWebhookClient(options: WebhookClientOptions): WebhookClient {
  const { timeoutMs = 15_000 } = options;
  const closing = new AbortController();
  const nameServers = createNameServerLookup();
  const agents = createCheckedAgents(options.lookup ?? nameServers.lookup, options);

  const open = ({ url: text, headers, body }: WebhookRequest): ClientRequest => {
    const url = new URL(text);
    const secure = url.protocol === 'https:';
    const request = (secure ? httpsRequest : httpRequest)({
      agent: secure ? agents.https : agents.http,
      host: hostOf(url),
      ...(url.port !== '' && { port: url.port }),
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      maxHeaderSize: maxHeaderBytes,
      headers: { ...headers, ...ours, 'content-length': Buffer.byteLength(body) },
    });
    return request.end(body);
  };

  return {
    async send(request) {
      const stops = [request.signal, closing.signal];
      for (const stop of stops) stop.throwIfAborted();
      const began = performance.now();
      const fault = faultOfWebhookUrl(request.url, options);
      if (fault !== undefined) return { fault: 'blocked-address', message: `the URL ${fault}`, durationMs: 0 };
      const deadline = new AbortController();
      const late = new RequestFault('timeout', `no complete response within ${timeoutMs} ms`);
      const end = () => deadline.abort(late);
      const timer = setTimeout(end, timeoutMs);
      for (const stop of stops) stop.addEventListener('abort', end, { once: true });
      try {
        const outcome = await exchange(() => open(request), deadline.signal);
        if ('fault' in outcome) for (const stop of stops) stop.throwIfAborted();
        return { ...outcome, durationMs: Math.round(performance.now() - began) };
      } finally {
        clearTimeout(timer);
        for (const stop of stops) stop.removeEventListener('abort', end);
      }
    },
    async close() {
      closing.abort(new Error('the webhook client is closed'));
      nameServers.cancel();
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}
