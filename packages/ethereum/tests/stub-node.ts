import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type StubRequest = { readonly method: string; readonly params: readonly unknown[]; readonly id: number };
/** Answers a parsed body: a value is sent as JSON, undefined means the behaviour has answered itself, or never will. */
export type StubBehaviour = (body: StubRequest | StubRequest[], response: ServerResponse) => unknown;

/** An endpoint that misbehaves as told. */
export type StubNode = {
  readonly url: string;
  readonly requests: unknown[];
  behave(behaviour: StubBehaviour): void;
  stop(): Promise<void>;
};

export const result = (request: StubRequest | StubRequest[], value: unknown): unknown =>
  Array.isArray(request)
    ? request.map(({ id }) => ({ jsonrpc: '2.0', id, result: value }))
    : { jsonrpc: '2.0', id: request.id, result: value };

export async function startStubNode(behaviour: StubBehaviour): Promise<StubNode> {
  let current = behaviour;
  const requests: unknown[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as StubRequest;
    requests.push({ body, authorization: request.headers.authorization });
    const answer = current(body, response);
    if (answer !== undefined) response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    behave: (next) => {
      current = next;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
