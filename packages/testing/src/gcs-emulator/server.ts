import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Reply, State } from './call.ts';
import { OBJECT_ROUTES } from './object-routes.ts';
import { Objects, Room } from './objects.ts';
import { invalid, notFound, notImplemented, Refusal } from './refusal.ts';
import { bodyOf } from './requests.ts';
import { UPLOAD_ROUTES } from './upload-routes.ts';
import { Uploads } from './uploads.ts';

/** What all content may take together, in bytes. */
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_CONNECTIONS = 256;
const ROUTES = [...OBJECT_ROUTES, ...UPLOAD_ROUTES];
/** Parameters without an effect here; `alt` matters only to reads. */
const WITHOUT_EFFECT = ['alt', 'prettyPrint', 'project', 'projection', 'userProject'];

export interface GcsEmulator {
  /** For the client's `apiEndpoint`; on this machine alone. */
  readonly apiEndpoint: string;
  /** Ends its connections; its content is lost. */
  stop(): Promise<void>;
}

/**
 * An emulator of the part of Google Cloud Storage's JSON API that the blob store uses, in memory, within this process.
 * It refuses unknown requests with 501 instead of ignoring them, and content over `maxBytes` with 413.
 */
export async function startGcsEmulator(options: { readonly maxBytes?: number } = {}): Promise<GcsEmulator> {
  const room = new Room(options.maxBytes ?? MAX_BYTES);
  const objects = new Objects(room);
  const state = { objects, uploads: new Uploads(objects, room) };
  let apiEndpoint = '';
  const server = createServer((incoming, outgoing) => {
    outgoing.on('error', () => outgoing.destroy());
    void replyTo(state, apiEndpoint, incoming).then((reply) => send(outgoing, reply));
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  apiEndpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    apiEndpoint,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Never rejects: every fault is an answer in Google's form. */
async function replyTo(state: State, origin: string, incoming: IncomingMessage): Promise<Reply> {
  try {
    const [path = '', search = ''] = (incoming.url ?? '').split('?', 2);
    const query = new URLSearchParams(search);
    const route = ROUTES.find((one) => one.method === incoming.method && one.path.test(path));
    if (route === undefined) throw notFound('Not Found');
    for (const name of query.keys())
      if (!route.parameters.includes(name) && !WITHOUT_EFFECT.includes(name))
        throw notImplemented(`the parameter ${name}`);
    const names = (route.path.exec(path) ?? []).slice(1).map(decode);
    const body = await bodyOf(incoming);
    return route.answer(state, { origin, names, query, headers: headersOf(incoming), body });
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(500, 'backendError', String(error));
    const headers = { 'content-type': 'application/json; charset=UTF-8', ...refusal.headers };
    return { status: refusal.status, headers, ...(refusal.status === 304 ? {} : { body: refusal.body }) };
  }
}

function send(outgoing: ServerResponse, { status, headers, body = '' }: Reply): void {
  const length = status === 204 || status === 304 ? {} : { 'content-length': Buffer.byteLength(body) };
  outgoing.writeHead(status, { ...headers, ...length });
  outgoing.end(body);
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw invalid('Invalid percent-encoding');
  }
}

const headersOf = ({ headers }: IncomingMessage): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value?.toString()]));
