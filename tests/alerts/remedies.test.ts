import { randomBytes } from 'node:crypto';
import { eventually, lookInto } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type RunningStack, startRunningStack } from '../e2e/support/running-stack.ts';
import { poison } from '../outages/support/disturbances.ts';
import { type Monitoring, startMonitoring } from './support/monitoring.ts';
import { startMoodyReceiver } from './support/moody-receiver.ts';
import { commandLineOf } from './support/operator.ts';
import { readRunbook, runbookNames } from './support/runbook.ts';
import { webhooksOf } from './support/webhooks-api.ts';

jest.setTimeout(240_000);

const operatorSeed = randomBytes(32).toString('hex');
let running: RunningStack;
let monitoring: Monitoring;
let pool: ReturnType<typeof lookInto>;
let indelible: ReturnType<typeof commandLineOf>;
let webhooks: ReturnType<typeof webhooksOf>;
beforeAll(async () => {
  running = await startRunningStack({
    operatorSeed,
    gateway: { WAIT_LIMIT_MS: '6000' },
    stamping: { FUNDS_POLL_MS: '1000' },
  });
  monitoring = await startMonitoring(running.connection.internalUrls, { scrapeSeconds: 5 });
  pool = lookInto(running.connection.databaseUrl);
  indelible = commandLineOf(running, operatorSeed);
  webhooks = webhooksOf(running);
  // Rates of stamps need a product that has made some.
  await stampsAgain();
});
afterAll(async () => {
  await pool?.end();
  await monitoring?.stop();
  await running?.stop();
});

const within = { timeoutMs: 120_000, intervalMs: 250 };
/** More than its waits may take together, so that one of them fails first. `confirmed` is two. */
const limitOf = (waits: number): number => waits * within.timeoutMs + 60_000;
const over = (name: string) => eventually(() => expect(monitoring.firing()).not.toContain(name), within);
const stamp = () => running.client.stamp({ data_cid: `0x${randomBytes(32).toString('hex')}` });
/** What an ordinary client sees after a remedy has worked (I11). */
const stampsAgain = () => eventually(async () => expect((await stamp()).status).toBe(201), within);

/** The alert comes, and the queries of its page show series. */
async function confirmed(alert: string, page: string): Promise<void> {
  await eventually(() => expect(monitoring.firing()).toContain(alert), within);
  await eventually(async () => {
    const shown = await Promise.all(
      readRunbook(page).confirming.map(async (query) => [query, (await monitoring.now(query)).length] as const),
    );
    expect(shown.filter(([, series]) => series === 0)).toEqual([]);
  }, within);
}

/** Keeps a transaction open that the page's statement must find and end. */
async function whileOpen(statement: string, alert: string, page: string): Promise<void> {
  const session = await pool.connect();
  // Its end is reported more than once.
  const ended = new Promise((settle) => session.on('error', settle));
  const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid');
  const terminate = () => pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
  let request: Promise<unknown> | undefined;
  try {
    await session.query('begin');
    await session.query(statement);
    request = stamp();
    await confirmed(alert, page);
    const [find] = readRunbook(page).statements;
    const found = (await pool.query<{ pid: number; blocked_by?: number[] }>(find as string)).rows;
    const culprits = found.flatMap(({ pid, blocked_by }) => blocked_by ?? [pid]);
    expect(culprits).toContain(rows[0]?.pid);
    await terminate();
    await ended;
  } finally {
    // Also of a test that failed: the next ones have the same tables.
    await terminate();
    session.release(true);
    await request?.then(undefined, () => undefined);
  }
  await over(alert);
  await request;
  await stampsAgain();
}

describe('the pages for alerts', () => {
  it.each(runbookNames)('have queries that Prometheus can read: %s', async (page) => {
    for (const query of readRunbook(page).queries) await monitoring.now(query);
  });
});

describe('the remedy of a page ends its alert, without a restart:', () => {
  it(
    'lane-funds',
    async () => {
      const lanes = await eventually(async () => {
        const known = await monitoring.now('indelible_stamping_lane_balance_ether > 0');
        expect(known).toHaveLength(1);
        return known;
      }, within);
      await running.anvil.request('anvil_setBalance', [lanes[0]?.metric.lane, '0x1']);
      await confirmed('IndelibleLaneOutOfFunds', 'lane-funds');
      await eventually(async () => expect(await stamp()).toMatchObject({ status: 503, location: null }), within);
      expect(await indelible('lanes fund --below 0.05 --up-to 0.2')).toContain('got 0.1999');
      await over('IndelibleLaneOutOfFunds');
      await stampsAgain();
    },
    limitOf(6),
  );

  it(
    'dead-letters: garbage comes back for each group when it is replayed, and is gone when it is discarded',
    async () => {
      const letters = async () =>
        Number(/events\.stamps: (\d+)/.exec(await indelible('dead-letters list events.stamps'))?.[1]);
      // Storage and notifications read the topic: each sets it aside.
      const readers = 2;
      await poison(running.connection.kafkaBrokers, [`${running.topicPrefix}events.stamps`]);
      await confirmed('IndelibleDeadLetters', 'dead-letters');
      await eventually(async () => expect(await letters()).toBe(readers), within);
      const list = await indelible('dead-letters list events.stamps');
      expect(list).toContain('MessageInvalidError: Header ce_specversion is missing');
      const [, place] = /^ {2}(\d+:\d+) /m.exec(list) ?? [];
      expect(JSON.parse(await indelible(`dead-letters show events.stamps ${place}`))).toMatchObject({ key: 'poison' });
      expect(await indelible('dead-letters replay events.stamps')).toContain(`${readers} replayed`);
      await eventually(async () => expect(await letters()).toBe(readers * readers), within);
      const last = [...(await indelible('dead-letters list events.stamps')).matchAll(/^ {2}(\d+:\d+) /gm)].at(-1)?.[1];
      await indelible(`dead-letters discard events.stamps --through ${last} --yes`);
      await over('IndelibleDeadLetters');
    },
    limitOf(5),
  );

  it(
    'webhooks-late: what failed is redelivered, and a disabled webhook that is enabled gets everything since',
    async () => {
      const receiver = await startMoodyReceiver(500);
      try {
        const { body: webhook } = await running.client.createWebhook({ url: receiver.url, types: ['stamp.confirmed'] });
        await stampsAgain();
        await confirmed('IndelibleWebhooksLate', 'webhooks-late');
        receiver.answerWith(204);
        const { deliveries } = await webhooks('GET', `${webhook.id}/deliveries?status=waiting`);
        for (const { id } of deliveries) await webhooks('POST', `${webhook.id}/deliveries/${id}/redeliver`);
        await over('IndelibleWebhooksLate');
        receiver.answerWith(410);
        await stampsAgain();
        await eventually(
          async () => expect(await webhooks('GET', webhook.id)).toMatchObject({ status: 'disabled' }),
          within,
        );
        receiver.answerWith(204);
        await stampsAgain();
        await webhooks('PATCH', webhook.id, { status: 'enabled' });
        await eventually(async () => {
          const { deliveries: all } = await webhooks('GET', `${webhook.id}/deliveries`);
          expect(all.map(({ status }) => status)).toEqual(expect.arrayContaining(['delivered', 'failed']));
          expect(all.filter(({ status }) => status === 'waiting')).toEqual([]);
          expect(all[0]?.status).toBe('delivered');
        }, within);
      } finally {
        await receiver.stop();
      }
    },
    limitOf(8),
  );

  it(
    'service-absent: a service that stood still handles what waited (I6, I7)',
    async () => {
      const pid = running.stack.services.storage.pid() as number;
      process.kill(pid, 'SIGSTOP');
      let waiting: Awaited<ReturnType<typeof running.client.stamp>>;
      try {
        waiting = await running.client.stamp({ file: new Blob(['waits']) }, 'waits.txt');
        await confirmed('IndelibleServiceAbsent', 'service-absent');
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      await over('IndelibleServiceAbsent');
      expect(waiting.status).toBe(503);
      await eventually(async () => {
        const { body } = await running.client.status(waiting.location as string);
        expect(body).toMatchObject({ file_object: { file_name: expect.stringContaining('waits') } });
      }, within);
    },
    limitOf(4),
  );

  it(
    'consumer-stuck: the transaction that blocks is found and ended',
    () => whileOpen('lock table stamping.stamps in access exclusive mode', 'IndelibleConsumerStuck', 'consumer-stuck'),
    limitOf(4),
  );

  it(
    'outbox-behind: the append that stays open is found and ended',
    () =>
      whileOpen(
        `insert into stamping.events (stream, version, type, type_version, message_id, data)
         values ('open', 1, 'Open', 1, gen_random_uuid(), '{}')`,
        'IndelibleOutboxBehind',
        'outbox-behind',
      ),
    limitOf(4),
  );
});
