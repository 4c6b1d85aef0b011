import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createApiKey, createAuthenticator, hashApiKey } from '@indelible/accounts';
import type { BlobStore } from '@indelible/blob-store';
import { cidOfCollectionName, zeroCid } from '@indelible/identifiers';
import { BrokerUnavailableError, type OutgoingMessage, PublisherBusyError } from '@indelible/kafka';
import type { Receipt, Reply, RequestStamp } from '@indelible/messages';
import { createLogger, noTracing, type Tracing } from '@indelible/service-runtime';
import { Registry } from 'prom-client';
import { createAdmission } from '../src/api/edge/admission.ts';
import type { Handler } from '../src/api/edge/call.ts';
import { loadDocument, type OperationId } from '../src/api/edge/document.ts';
import { createEdge } from '../src/api/edge/edge.ts';
import { createFlowWatch } from '../src/api/edge/flow-watch.ts';
import { createRequestLog } from '../src/api/edge/request-log.ts';
import { createEdgeServer } from '../src/api/edge/server.ts';
import { createStampRoute } from '../src/api/routes/create-stamp.ts';
import { createByteBudget } from '../src/limits/byte-budget.ts';
import { createRateLimiter } from '../src/limits/rate-limiter.ts';
import type { KeyedRequests } from '../src/use-cases/idempotency/keyed-requests.ts';
import { createContentReceiver } from '../src/use-cases/stamping/content.ts';
import { type StampPorts, stamp } from '../src/use-cases/stamping/stamp.ts';
import { createWaitingRoom } from '../src/use-cases/stamping/waiting-room.ts';

/** The available keys, by their distinguishing property. */
export const keys = {
  usual: createApiKey(),
  mayRead: createApiKey(),
  limited: createApiKey(),
  exhausted: createApiKey(),
  revoked: createApiKey(),
  unknown: createApiKey(),
};
export type KeyName = keyof typeof keys;

export const known = { created: 'Invoices', registered: 'Drafts' } as const;
const account = `0x${'07'.repeat(20)}` as const;
/** The clock of both. */
const now = 1_760_000_000_000;

const rows = (Object.keys(keys) as KeyName[])
  .filter((name) => name !== 'unknown')
  .map((name, i) => ({
    hash: hashApiKey(keys[name]),
    id: `00000000-0000-4000-8000-00000000000${i}`,
    account: Buffer.alloc(20, 7),
    scopes: name === 'mayRead' ? ['read'] : ['stamp', 'read'],
    expiresAt: null,
    revoked: name === 'revoked',
    disabled: false,
    perSecond: name === 'limited' || name === 'exhausted' ? 1 : null,
    burst: name === 'limited' ? 5 : name === 'exhausted' ? 1 : null,
  }));
const database = {
  query: async ({ values }: { readonly values: [Buffer[]] }) => ({
    rows: rows.filter(({ hash }) => values[0].some((wanted) => wanted.equals(hash))),
  }),
};

export type PathSettings = {
  readonly corsOrigins?: readonly string[];
  readonly publicUrl?: string;
  readonly traces?: boolean;
  readonly stalledMs?: number;
  readonly drainMs?: number;
  readonly maxRequests?: number;
  readonly maxWaiting?: number;
};

export type PathServer = Awaited<ReturnType<typeof startServer>>;

/**
 * A public server whose stamps a stand-in decides, with or without the short path; records everything that it reports.
 */
export async function startServer(hasShortPath: boolean, settings: PathSettings = {}) {
  const metrics = new Registry();
  const lines: string[] = [];
  const spans: unknown[] = [];
  const published: OutgoingMessage[] = [];
  const logger = createLogger({ service: 'gateway', level: 'info' }, { write: (line) => void lines.push(line) });
  const held: (() => void)[] = [];
  let holds = false;
  let tookShortPath = 0;
  let quotaTaken = 0;
  const waiters = new Map<string, (reply: Reply) => void>();
  const waitingRoom = createWaitingRoom({ maxWaiting: settings.maxWaiting ?? 1_000, waitLimitMs: 60_000 });

  const tracing: Tracing = {
    ...noTracing,
    on: settings.traces === true,
    samples: (traceparent) => settings.traces === true && traceparent?.endsWith('01') === true,
    begin(parent, { startedAt: _varies, ...start }) {
      const span = { parent, start, end: [] as unknown[] };
      spans.push(span);
      return { traceparent: `${parent?.slice(0, 36)}00f067aa0ba902b7-01`, end: (...end) => void span.end.push(end) };
    },
  };

  /** Stamping's part: what becomes of a command shows in the last digit of its CID. */
  function replyTo({ requestId, objectCid, awaits }: RequestStamp): void {
    const digit = objectCid.at(-1) as string;
    const replyWith = (reply: Partial<Reply>): void => waiters.get(requestId)?.({ requestId, ...reply } as Reply);
    const receipt = { ...receiptOfTests, account, objectCid } as Receipt;
    const other = '0189f8f0-0000-7000-8000-0000000000aa';
    if (digit === '0')
      replyWith({ kind: 'refused', refusal: { code: 'grant-revoked', message: 'the grant is revoked' } });
    else if (digit === '7') replyWith({ kind: 'refused', refusal: { code: 'too-busy', message: 'busy' } });
    else if (digit === '1')
      replyWith({
        ...{ kind: 'confirmed', outcome: 'repeated', stampId: other, receipt },
        ...{ collectionCreated: false, awaitsFile: false },
      });
    else if (awaits === 'decision')
      replyWith({
        kind: 'decided',
        stampId: digit === '2' ? other : requestId,
        decision: digit === '2' ? 'joined' : 'new',
      });
    else
      replyWith({
        ...{ kind: 'confirmed', outcome: 'created', stampId: requestId, receipt },
        ...{ collectionCreated: false, awaitsFile: false },
      });
  }

  const ports: StampPorts = {
    instanceId: 'gateway-1',
    locks: {
      acquire: async (identity) =>
        identity.endsWith('3') ? 'unavailable' : identity.endsWith('4') ? 'held' : 'acquired',
      follow: async () => ({
        outcome: async () => ({ kind: 'vanished' }),
        close: () => {},
      }),
      release: async () => {},
    },
    publisher: {
      async publish(messages) {
        await nextTurn();
        const command = messages[0]?.data as RequestStamp;
        if (command.objectCid.endsWith('5')) throw new PublisherBusyError(1);
        published.push(...messages);
        if (command.objectCid.endsWith('6')) throw new BrokerUnavailableError('no broker');
        if (holds) held.push(() => replyTo(command));
        else setImmediate(() => replyTo(command));
      },
    },
    replies: {
      wait: (requestId) => ({
        listen: (hear) => void waiters.set(requestId, hear),
        close: () => void waiters.delete(requestId),
      }),
    },
    poller: { watch: () => () => {} },
    waitingRoom,
    stampQuota: {
      take(_account, amount) {
        quotaTaken += amount;
        return undefined;
      },
      give(_account, amount) {
        quotaTaken -= amount;
      },
    },
    newestBlocks: { note: async () => {} },
    collections: async (key) => {
      for (const name of [known.created, known.registered])
        if ('folded' in key ? key.folded === name.toLowerCase() : key.cid === cidOfCollectionName(name))
          return { name, cid: cidOfCollectionName(name), created: name === known.created } as never;
      return undefined;
    },
    findStamp: async (_account, id) => ({ id, status: 'submitted' }) as never,
    factsOf: async () => undefined,
    now: () => now,
  };
  const document = loadDocument();
  const route = createStampRoute({
    fields: document.fieldsOf('StampForm'),
    maxFileBytes: 2 ** 20,
    maxDataBytes: 1_000,
    receiveContent: createContentReceiver(blobsOfTests, { take: () => undefined, give: () => {} }),
    collections: ports.collections,
    keyedRequests: keyedRequestsOfTests,
    stamp: (request) => stamp(ports, request),
    keepAside: async () => {},
  });
  const nothing: Handler = async () => ({ status: 200, body: {} });
  const handlers = Object.fromEntries(document.operations.map(({ id }) => [id, nothing])) as Record<
    OperationId,
    Handler
  >;
  const admission = createAdmission({ maxRequests: settings.maxRequests ?? 1_000, maxConnections: 1_000, metrics });
  const stalled = { stalledMs: settings.stalledMs ?? 10_000 };
  const edge = createEdgeServer({
    host: '127.0.0.1',
    port: 0,
    app: createEdge({
      document,
      handlers: { ...handlers, createStamp: route.handle, createStampDeprecated: route.handle },
      shortPath: hasShortPath
        ? {
            ...route,
            answer(...given) {
              tookShortPath++;
              return route.answer(...given);
            },
          }
        : undefined,
      authenticator: createAuthenticator({ database: { query: database.query as never }, logger }),
      rateLimiter: createRateLimiter({
        // Decides by the key alone: successive requests have no order.
        runScript: async (_script, _key, _perSecond, burst) => (burst === 1 ? [0, 0, 0, 1_500] : [1, 3, 0, 1_500]),
        standard: undefined,
        metrics,
      }),
      admission,
      byteBudget: createByteBudget({ maxHeldBytes: 2 ** 20, metrics }),
      log: createRequestLog(logger, metrics),
      tracing,
      watch: createFlowWatch({ ...stalled, minRate: 0 }),
      publicUrl: settings.publicUrl,
      shownUrl: 'http://127.0.0.1',
      corsOrigins: settings.corsOrigins ?? [],
      now: () => now,
    }),
    admission,
    maxConnections: 1_000,
    ...stalled,
    drainMs: settings.drainMs ?? 0,
    endStreams: () => {},
    hurry: waitingRoom.close,
  });
  await edge.start();
  const open = async () => {
    const socket = connect({ port: edge.port(), host: '127.0.0.1' });
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
  return {
    ...{ edge, metrics, lines, spans, published, waitingRoom, open },
    tookShortPath: () => tookShortPath,
    quotaTaken: () => quotaTaken,
    waiters: () => waiters.size,
    /** Resets what lets one request's outcome affect another's. */
    forget() {
      for (const list of [lines, published, spans]) list.length = 0;
      metrics.resetMetrics();
      quotaTaken = 0;
    },
    /** Holds replies to commands until `release`. */
    hold: () => {
      holds = true;
    },
    held: () => held.length,
    release() {
      holds = false;
      for (const reply of held.splice(0)) reply();
    },
    /** Sends these pieces, and reads until the server ends the connection. */
    async send(pieces: readonly string[]): Promise<string> {
      const socket = await open();
      let answer = '';
      socket.on('data', (bytes) => {
        answer += bytes.toString('latin1');
      });
      const closed = Promise.withResolvers<void>();
      socket.once('close', () => closed.resolve());
      for (const piece of pieces) {
        socket.write(piece, 'latin1');
        await nextTurn();
      }
      await closed.promise;
      return answer;
    },
  };
}

const receiptOfTests = {
  ...{ chainId: 31_337, setCid: zeroCid, blockNumber: 5, blockHash: zeroCid, blockTime: 1_760_000_000 },
  ...{ transactionHash: zeroCid, logIndex: 3, receiptIndex: 0 },
};

const blobsOfTests = {
  stage: async () => ({
    write: async () => {},
    finish: async () => ({ size: 1, crc32c: 0 }),
    abort: async () => {},
  }),
} as unknown as BlobStore;

/** A request's key determines its outcome: others with it are under way, or were other requests. */
const keyedRequestsOfTests: Pick<KeyedRequests, 'once'> = {
  async once({ key }, work) {
    if (key.startsWith('conflict')) return { kind: 'conflict' };
    if (key.startsWith('busy')) return { kind: 'busy' };
    const commandId = '0189f8f0-0000-8000-8000-0000000000bb';
    const attempt = { commandId, resumed: key.startsWith('resumed'), signal: new AbortController().signal };
    return { kind: 'answered', answer: await work(attempt) };
  },
};
