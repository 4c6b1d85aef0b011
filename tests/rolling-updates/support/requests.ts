import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

export type Answer = {
  readonly status: number;
  readonly location: string | undefined;
  readonly retryAfter: string | undefined;
  readonly text: string;
};

/** The longest a client waits; the gateway ends its waits earlier. */
const timeoutMs = 60_000;

/**
 * A client that keeps a connection, as HTTP clients do: it goes on over the same one until the server says `Connection: close` or closes it, and
 * repeats nothing.
 */
export function createConnection(rootUrl: string, apiKey: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    /** @throws Error when the connection breaks */
    async send(
      method: string,
      path: string,
      body?: { readonly type: string; readonly bytes: string | Uint8Array },
      headers: Readonly<Record<string, string>> = {},
    ): Promise<Answer> {
      const sent = request(new URL(path, `${rootUrl}/api/v1/`), {
        method,
        agent,
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          Authorization: `Bearer ${apiKey}`,
          ...(body && { 'Content-Type': body.type, 'Content-Length': Buffer.byteLength(body.bytes) }),
          ...headers,
        },
      });
      sent.end(body?.bytes);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      const text = (await buffer(response)).toString('utf8');
      const { location, 'retry-after': retryAfter } = response.headers;
      return { status: response.statusCode ?? 0, location, retryAfter, text };
    },
    close: (): void => agent.destroy(),
  };
}
export type Connection = ReturnType<typeof createConnection>;

export const json = (value: object) => ({ type: 'application/json', bytes: JSON.stringify(value) });

export const lines = (values: readonly object[]) => ({
  type: 'application/x-ndjson',
  bytes: values.map((value) => `${JSON.stringify(value)}\n`).join(''),
});

/** A form with a file, as browsers send it. */
export async function form(fields: Readonly<Record<string, string>>, file?: Uint8Array) {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  if (file !== undefined) data.append('file', new Blob([new Uint8Array(file)]), 'file.bin');
  const response = new Response(data);
  return { type: String(response.headers.get('content-type')), bytes: new Uint8Array(await response.arrayBuffer()) };
}
