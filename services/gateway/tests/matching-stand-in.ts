import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer, listen, portOf } from '@indelible/service-runtime';

/** One request to the verification service: its lines as they arrive, and its response as the test decides. */
export type Matching = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The lines so far; the last may be cut. */
  text(): string;
  /** All lines, once the stream has ended. */
  lines(): Promise<readonly unknown[]>;
  /** Settles when the connection is closed; true if the stream had not ended. */
  readonly closed: Promise<boolean>;
};

/** The verification service's matching, and the chain's head, scripted by the tests. */
export async function startMatchingStandIn(chainId: number) {
  let script: (matching: Matching) => Promise<void> = answerWith({ collections: [] });
  let requests = 0;
  const server = await listen(
    createServer((request, response) => {
      if (request.url?.startsWith('/internal/collections/verify?caller=0x') !== true) {
        request.resume();
        const body = request.url === '/internal/commitments/lookup' ? { receipts: [] } : { chainId, number: 7 };
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
        return;
      }
      requests++;
      let text = '';
      let ended = false;
      request.setEncoding('utf8');
      request.on('data', (chunk: string) => {
        text += chunk;
      });
      request.on('end', () => {
        ended = true;
      });
      request.on('error', () => {});
      const closed = once(response, 'close').then(() => !ended);
      script({
        request,
        response,
        closed,
        text: () => text,
        async lines() {
          if (!ended) await once(request, 'end');
          return text
            .split('\n')
            .filter(Boolean)
            .map((line): unknown => JSON.parse(line));
        },
      }).catch(() => response.destroy());
    }),
    '127.0.0.1',
    0,
  );
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    requests: () => requests,
    script(next: (matching: Matching) => Promise<void>): void {
      script = next;
    },
    close: async () => {
      server.closeAllConnections();
      await closeServer(server);
    },
  };
}

/** Reads the stream to its end and answers; `heard` gets the lines. */
export function answerWith(
  body: object,
  heard: (lines: readonly unknown[]) => void = () => {},
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): (matching: Matching) => Promise<void> {
  return async ({ lines, response }) => {
    heard(await lines());
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}
