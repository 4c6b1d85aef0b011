import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountsSchema, createAccountStore } from '@indelible/accounts';
import { createSeedCustody } from '@indelible/ethereum/custody';
import type { Hex } from '@indelible/identifiers';
import type { Receipt } from '@indelible/messages';
import { createDatabase } from '@indelible/postgres';
import { closeServer, createLogger, listen, portOf, startAll, stopAll } from '@indelible/service-runtime';
import { testKafka, testRedis } from '@indelible/testing';
import type { components } from '../src/api/generated/openapi.ts';
import { commitmentReceipt } from '../src/api/responses/commitment-receipt.ts';
import type { Config } from '../src/config.ts';
import { createGatewayService } from '../src/service.ts';
import { gatewayDatabase } from './gateway-database.ts';
import { createResponseCheck } from './response-check.ts';
import { startStampingStandIn } from './stamping-stand-in.ts';
import { startStatusStandIn } from './status-stand-in.ts';

export const logger = createLogger({
  service: 'test',
  level: process.env.TEST_LOG_LEVEL === 'info' ? 'info' : 'silent',
});
export const chainId = 31337;

const checkResponse = createResponseCheck();

export type Gateway = Awaited<ReturnType<typeof startGateway>>;
export type Account = { readonly account: Hex; readonly apiKey: string };

/** A gateway on real Kafka, Postgres and Redis, with the test file's own stand-ins for the services behind it. */
export async function startGateway(settings: Partial<Config> & { readonly redisIsAway?: boolean } = {}) {
  const test = await gatewayDatabase();
  const kafka = testKafka();
  const redis = testRedis();
  const directory = await mkdtemp(join(tmpdir(), 'indelible-gateway-'));
  const neighbours = await startNeighbours();
  const statuses = await startStatusStandIn();
  const stamping = await startStampingStandIn({
    statuses,
    brokers: kafka.brokers,
    schemaRegistryUrl: kafka.schemaRegistryUrl,
    redisUrl: redis.url,
    prefix: kafka.prefix,
    chainId,
    logger,
  });
  const config: Config = {
    kafkaSessionTimeoutMs: 10_000,
    logLevel: 'silent',
    httpHost: '127.0.0.1',
    httpPort: 0,
    internalHost: '127.0.0.1',
    internalPort: 0,
    leaveMs: 0,
    databaseUrl: test.url,
    kafkaBrokers: kafka.brokers,
    schemaRegistryUrl: kafka.schemaRegistryUrl,
    topicPrefix: kafka.prefix,
    redisUrl: settings.redisIsAway === true ? 'redis://127.0.0.1:1' : redis.url,
    verificationUrl: neighbours.url,
    indexerUrl: neighbours.url,
    stampingUrl: statuses.url,
    storageUrl: statuses.url,
    notificationsUrl: 'http://127.0.0.1:1',
    blobStore: { kind: 'local', directory },
    chainId,
    waitLimitMs: 20_000,
    maxFileBytes: 2 ** 30,
    maxDataBytes: 64 * 1024,
    maxVerifyObjects: 1_000_000,
    maxVerifyBytes: 256 * 2 ** 20,
    maxBatchLines: 100_000,
    maxBatchWindow: 40_000,
    maxWaiting: 1_000,
    maxCommandLag: 100_000,
    drainMs: 2_000,
    stalledMs: 30_000,
    minRate: 1_024,
    publicUrl: undefined,
    corsOrigins: [],
    rateLimit: undefined,
    accountStampsPerDay: undefined,
    accountBytesPerDay: undefined,
    maxRequests: 10_000,
    maxConnections: 10_000,
    maxHeldBytes: 2 ** 29,
    maxEventStreams: 4_000,
    eventBufferBytes: 64 * 2 ** 20,
    eventHeartbeatMs: 15_000,
    ...settings,
  };
  const faults: unknown[] = [];
  const startReplica = async (over: Partial<Config> = {}): Promise<ReturnType<typeof createGatewayService>> => {
    const replica = createGatewayService({ ...config, ...over }, logger, (error) => faults.push(error));
    await startAll(replica);
    return replica;
  };
  const service = await startReplica();
  const others: Awaited<ReturnType<typeof startReplica>>[] = [];

  const accountsDatabase = createDatabase({
    url: test.url,
    schema: accountsSchema,
    applicationName: 'gateway test',
    logger,
  });
  const accounts = createAccountStore({ database: accountsDatabase });
  const signer = createSeedCustody({ seed: Buffer.alloc(32, 7) });
  const baseOf = (replica: typeof service): string => `http://127.0.0.1:${replica.port()}/api/v1`;
  const base = baseOf(service);
  return {
    base,
    /** Starts another replica. @returns its base, for paths of `send` */
    async startReplica(over: Partial<Config> = {}): Promise<string> {
      const replica = await startReplica(over);
      others.push(replica);
      return baseOf(replica);
    },
    topicPrefix: kafka.prefix,
    config,
    internal: `http://127.0.0.1:${service.internalPort()}`,
    directory,
    stamping,
    statuses,
    neighbours,
    accounts,
    pool: test.pool,
    faults,
    async openAccount(name = 'Ada', displayTimezone = 'UTC'): Promise<Account> {
      const opened = await accounts.openAccount(
        { name, email: 'ada@example.com', displayTimezone },
        {
          signer,
          chainId,
          contract: `0x${'11'.repeat(20)}`,
          operator: `0x${'22'.repeat(20)}`,
          nonceOf: async () => 0n,
        },
      );
      return { account: opened.account, apiKey: opened.apiKey };
    },
    /** Asks the gateway; the answer's JSON comes along, checked against the OpenAPI document. */
    async send<Body = AnyBody>(
      who: Account | undefined,
      path: string,
      init: RequestInit = {},
    ): Promise<GatewayResponse<Body>> {
      const headers = new Headers(init.headers);
      if (who !== undefined && !headers.has('Authorization')) headers.set('Authorization', `Bearer ${who.apiKey}`);
      const url = path.startsWith('http') ? path : base + path;
      const response = await fetch(url, { ...init, headers });
      const text = await response.text();
      checkResponse({ method: init.method ?? 'GET', url, status: response.status, headers: response.headers, text });
      return {
        status: response.status,
        headers: response.headers,
        body: (text === '' ? undefined : JSON.parse(text)) as Body,
      };
    },
    stopService: () => stopAll(service),
    async dispose() {
      await Promise.all([service, ...others].map(stopAll));
      await stamping.stop();
      await accountsDatabase.close();
      await neighbours.close();
      await statuses.close();
      await kafka.dispose();
      await redis.dispose();
      await test.drop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

type Schemas = components['schemas'];
/** What the API may answer, all keys at hand. */
export type AnyBody = Partial<Schemas['Error'] & Schemas['StampStatus'] & Schemas['VerificationResult']> & object;
export type GatewayResponse<Body> = { readonly status: number; readonly headers: Headers; readonly body: Body };

/** Receipts as verification lists them. */
const listOf = (receipts: readonly Receipt[], { limit }: LookUp): object => ({
  stamp_list: receipts.map(commitmentReceipt),
  ...(limit === undefined ? {} : { next_cursor: 'next' }),
});
/** Receipts of a set of an owner as verification finds them. */
const found = (receipts: readonly Receipt[], { owner, setCid, limit }: LookUp): object => ({
  receipts: receipts
    .filter((receipt) => receipt.account === owner && receipt.setCid === setCid)
    .toSorted((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
    .slice(0, limit),
});
type LookUp = { readonly owner?: string; readonly setCid?: string; readonly limit?: number };

/** Verification and chain-indexer as the gateway sees them: one HTTP server, scripted by the tests. */
async function startNeighbours() {
  const lookups: unknown[] = [];
  let answer: { status: number; body: object } | 'none' = { status: 200, body: { receipts: [] } };
  let head: { status: number; body: object } = { status: 200, body: { chainId, number: 7 } };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const isList = request.url === '/internal/stamps/verify';
    const isLookup = isList || request.url === '/internal/commitments/lookup';
    if (isLookup) lookups.push(JSON.parse(Buffer.concat(chunks).toString()));
    const scripted = isLookup ? answer : head;
    if (scripted === 'none') return;
    const { status, body } = scripted;
    const receipts = isLookup && 'receipts' in body ? (body.receipts as Receipt[]) : undefined;
    const shown = receipts === undefined ? body : (isList ? listOf : found)(receipts, lookups.at(-1) as LookUp);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(shown));
  };
  const server: Server = await listen(
    createServer((request, response) => void handle(request, response)),
    '127.0.0.1',
    0,
  );
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    lookups,
    answerLookups(status: number, body: object): void {
      answer = { status, body };
    },
    /** Look-ups are read, and never answered. */
    answerNoLookups(): void {
      answer = 'none';
    },
    answerHead(status: number, body: object): void {
      head = { status, body };
    },
    close: () => {
      server.closeAllConnections();
      return closeServer(server);
    },
  };
}

export const formOf = (fields: Readonly<Record<string, string | Blob>>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, value instanceof File ? value.name : 'blob');
  }
  return form;
};
