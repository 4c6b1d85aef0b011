import { createServer } from 'node:http';
import { closeServer, type FailpointName, listen, portOf } from '@indelible/service-runtime';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createSealer } from '../../src/webhook-requests/sealer.ts';
import { createWebhook } from '../../src/webhooks/manage.ts';
import { connect } from '../support/database.ts';
import { accountOf, failed, stampOf } from '../support/messages.ts';
import { createSurroundings, type Surroundings } from '../support/notifications.ts';
import { startProcess } from '../support/process.ts';
import { isVerified, startReceiver } from '../support/receiver.ts';

jest.setTimeout(180_000);
const patience = { timeoutMs: 90_000 };

let world: Surroundings;
let database: ReturnType<typeof connect>;
beforeAll(async () => {
  world = await createSurroundings();
  world.config.kafkaSessionTimeoutMs = await world.kafka.shortestSessionMs();
  database = connect(world.database.url);
}, 120_000);
afterAll(async () => {
  await database?.close();
  await world?.stop();
}, 60_000);

const webhookFor = async (account: ReturnType<typeof accountOf>, url: string, ordered = false) => {
  const sealer = createSealer(world.config.webhookSealingKeys);
  const ports = { database, sealer, now: Date.now, mostWebhooks: 20 };
  const created = await createWebhook(ports, account, {
    url,
    types: ['stamp.failed'],
    collections: [],
    ordered,
    description: null,
  });
  return { id: created!.webhook.webhookId, secret: created!.secret };
};

describe('SIGKILL of the replica that delivers to webhooks', () => {
  it.each<FailpointName>(['notifications.webhook-sent', 'notifications.webhook-recorded'])(
    'at %s loses no event; what comes twice has the same id (I5, I11)',
    async (failpoint) => {
      const account = accountOf(failpoint);
      const receiver = await startReceiver();
      const { id, secret } = await webhookFor(account, receiver.url, true);
      const stamps = Array.from({ length: 40 }, () => stampOf({ account }));
      const dying = startProcess(world.config, failpoint);
      await world.publish(...stamps.map(failed));
      expect(await dying.died()).toBe('SIGKILL');
      const next = startProcess(world.config);
      await eventually(() => {
        expect(new Set(receiver.received.map(({ event }) => event.subject)).size).toBe(40);
      }, patience);
      const bySubject = Map.groupBy(receiver.received, ({ event }) => event.subject);
      for (const [, same] of bySubject) expect(new Set(same.map(({ event }) => event.id)).size).toBe(1);
      const first = [...new Map(receiver.received.map(({ event }) => [event.id, Number(event.sequence)])).values()];
      expect(first).toEqual(first.toSorted((a, b) => a - b));
      expect(receiver.received.every((one) => isVerified(one, secret))).toBe(true);
      await eventually(async () => {
        const { rows } = await world.database.pool.query<{ status: string; count: number }>(
          'select status, count(*)::int as count from notifications.deliveries where webhook_id = $1 group by status',
          [id],
        );
        expect(rows).toEqual([{ status: 'delivered', count: 40 }]);
      }, patience);
      await next.kill();
      await receiver.stop();
    },
  );

  it('with a receiver that is down, delivers all of it when both are up again (I11)', async () => {
    const account = accountOf('both down');
    const seen = new Set<string>();
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += String(chunk);
      });
      request.on('end', () => {
        seen.add((JSON.parse(body) as { subject: string }).subject);
        response.writeHead(204).end();
      });
    });
    let isUp = false;
    server.on('connection', (socket) => isUp || socket.destroy());
    await listen(server, '127.0.0.1', 0);
    const { id } = await webhookFor(account, `http://127.0.0.1:${portOf(server)}/hook`);
    const first = startProcess(world.config);
    const stamps = Array.from({ length: 20 }, () => stampOf({ account }));
    await world.publish(...stamps.map(failed));
    await eventually(async () => {
      const { rowCount } = await world.database.pool.query(
        `select from notifications.deliveries where status = 'waiting' and webhook_id = $1`,
        [id],
      );
      expect(rowCount).toBeGreaterThan(0);
    }, patience);
    await first.kill();
    isUp = true;
    const second = startProcess(world.config);
    // Failed deliveries wait 5 s; untried ones are sent at once.
    await eventually(() => expect([...seen].sort()).toEqual(stamps.map(({ stampId }) => stampId).sort()), patience);
    await second.kill();
    server.closeAllConnections();
    await closeServer(server, 0);
  });
});
