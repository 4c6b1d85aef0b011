import { type Hex, newId } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { type Component, createInternalServer, noTracing, startAll, stopAll } from '@indelible/service-runtime';
import { eventually, type TestDatabase } from '@indelible/testing';
import { webhookRoutes } from '../../src/api/webhook-routes.ts';
import type { Fact, Stamp } from '../../src/decisions/facts.ts';
import { schema } from '../../src/schema.ts';
import { createRoutes } from '../../src/service.ts';
import { createLogWatch } from '../../src/tables/log-watch.ts';
import { createLogBlocks } from '../../src/use-cases/log-blocks.ts';
import { projectFacts } from '../../src/use-cases/project-facts.ts';
import { createSealer } from '../../src/webhook-requests/sealer.ts';
import { createWebhookClient } from '../../src/webhook-requests/webhook-client.ts';
import type { DispatchPorts } from '../../src/webhooks/dispatch.ts';
import { createWebhookDispatcher } from '../../src/webhooks/dispatcher.ts';
import { createWebhookTest } from '../../src/webhooks/test-webhook.ts';
import { connect, logger, notificationsDatabase, webhookSealingKeys, write } from './database.ts';
import { receiptOf, stampOf } from './messages.ts';

export const origin = { source: 'indelible/tests', publicUrl: 'https://api.example.com' };
const time = '2026-11-21T04:10:08.123Z';
const envelope = () => ({ messageId: newId(), time });

export const failedFact = (stamp: Stamp): Fact => ({
  ...envelope(),
  kind: 'failed',
  stamp,
  refusal: { code: 'grant-revoked', message: 'The grant is revoked' },
});
export const confirmedFact = (stamp: Stamp): Fact => ({
  ...envelope(),
  kind: 'confirmed',
  batchId: newId(),
  stamp,
  receipt: receiptOf(stamp),
});

/** As the API shows a delivery. */
export type ShownDelivery = {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly next_attempt_at: string | null;
  readonly attempts: readonly {
    readonly http_status: number | null;
    readonly body: string;
    readonly error: string | null;
  }[];
};

/** Webhooks without Kafka: a log that facts are projected into, the dispatcher, and the internal API. */
export async function createWebhookWorld(
  options: { readonly timeoutMs?: number; readonly mostWebhooks?: number } = {},
) {
  const server: TestDatabase = await notificationsDatabase();
  const database: Database = connect(server.url);
  const sealer = createSealer(webhookSealingKeys);
  const client = createWebhookClient({ allowLoopbackHttp: true, timeoutMs: options.timeoutMs ?? 15_000 });
  let ahead = 0;
  const ports = { database, client, sealer, origin, now: () => Date.now() + ahead };
  const readLog = createLogBlocks(database);
  const watch = createLogWatch({ url: server.url, logger });
  const routes = createRoutes(
    { database, watch, readLog, origin, logger },
    webhookRoutes({
      ...ports,
      allowLoopbackHttp: true,
      mostWebhooks: options.mostWebhooks ?? 20,
      test: createWebhookTest(ports),
    }),
  );
  const http = createInternalServer({ host: '127.0.0.1', port: 0, logger, components: () => [], routes });
  await startAll([http]);
  const dispatchers: Component[] = [];
  const dispatchPorts: DispatchPorts = {
    ...ports,
    readLog,
    logger,
    tracing: noTracing,
    onDelivery() {},
    onDisabled() {},
  };
  const dispatcher = (): ReturnType<typeof createWebhookDispatcher> =>
    createWebhookDispatcher({ ...dispatchPorts, url: server.url, schema });

  const ask = async <Body = Record<string, unknown>>(account: Hex, method: string, path: string, body?: object) => {
    const [at, query = ''] = path.split('?');
    const response = await fetch(`http://127.0.0.1:${http.port()}/internal/webhooks${at}?account=${account}&${query}`, {
      method,
      ...(body === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as Body };
  };
  return {
    server,
    database,
    sealer,
    dispatchPorts,
    ask,
    /** Advances the clock of everything that reads the time. */
    passMs(ms: number): void {
      ahead += ms;
    },
    /**
     * Advances time by half hours until a check passes: recently refused deliveries are retried too, however often they
     * had been tried.
     */
    passTimeUntil(check: () => void | Promise<void>, timeoutMs: number): Promise<void> {
      const next = () => {
        ahead += 30 * 60_000;
        return check();
      };
      return eventually(next, { timeoutMs, intervalMs: 500 });
    },
    async create(account: Hex, body: object): Promise<{ id: string; secret: string }> {
      const created = await ask<{ id: string; secret: string }>(account, 'POST', '', body);
      if (created.status !== 201) throw new Error(JSON.stringify(created));
      return created.body;
    },
    async deliveries(account: Hex, id: string, query = '') {
      type Page = { deliveries: ShownDelivery[]; next_cursor: string | null };
      return (await ask<Page>(account, 'GET', `/${id}/deliveries?${query}`)).body;
    },
    project: (...facts: Fact[]) => projectFacts(database, facts, write),
    /** Failed stamps of an account: an event each. */
    async failStamps(
      account: Hex,
      count: number,
      over: (at: number) => Partial<Stamp> = () => ({}),
    ): Promise<string[]> {
      const stamps = Array.from({ length: count }, (_, at) => stampOf({ account, ...over(at) }));
      await projectFacts(database, stamps.map(failedFact), write);
      return stamps.map(({ stampId }) => stampId);
    },
    async startDispatcher(): Promise<ReturnType<typeof createWebhookDispatcher>> {
      const started = dispatcher();
      dispatchers.push(started);
      await startAll([started]);
      return started;
    },
    async stopFirst(): Promise<void> {
      await stopAll(dispatchers.splice(0, 1));
    },
    async stop(): Promise<void> {
      await stopAll([http, ...dispatchers]);
      await client.close();
      await database.close();
      await server.drop();
    },
  };
}
export type WebhookWorld = Awaited<ReturnType<typeof createWebhookWorld>>;
