import { cidOfContent, type Hex } from '@indelible/identifiers';
import { testKafka } from '@indelible/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import kafkajs from 'kafkajs';
import { type Account, type Gateway, startGateway } from './gateway-harness.ts';
import { linesOf, openBatch, postBatch } from './stamp-batch-client.ts';

let gateway: Gateway;
let ada: Account;
beforeAll(async () => {
  gateway = await startGateway();
  ada = await gateway.openAccount();
}, 120_000);
afterAll(() => gateway.dispose(), 60_000);

let contents = 0;
const freshLines = (count: number): { data_cid: Hex }[] =>
  Array.from({ length: count }, () => ({ data_cid: cidOfContent(`without Kafka ${contents++}`) }));

async function withAdmin(use: (admin: kafkajs.Admin) => Promise<void>): Promise<void> {
  const admin = new kafkajs.Kafka({ brokers: testKafka().brokers, logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    await use(admin);
  } finally {
    await admin.disconnect();
  }
}

it('Kafka that takes no commands in mid-batch fails the lines that come, to be sent again; a new batch is a 503 (I6)', async () => {
  gateway.stamping.confirmAll();
  const batch = openBatch(gateway, ada);
  const results = batch.results();
  batch.send(freshLines(2));
  for (const line of [1, 2]) expect((await results.next()).value).toMatchObject({ line, status: 'created' });

  // The broker is there for the other tests, and refuses all that comes for this gateway's commands.
  await withAdmin(
    async (admin) => void (await admin.deleteTopics({ topics: [`${gateway.topicPrefix}commands.stamps`] })),
  );
  const commands = gateway.stamping.commands.length;
  batch.send([...freshLines(1), { data_cid: 'none' }, ...freshLines(1)]);
  const away = { status: 'failed', error: 'a part of the service is unavailable; try again', retryable: true };
  expect((await results.next()).value).toEqual({ ...away, line: 3 });
  expect((await results.next()).value).toMatchObject({ line: 4, status: 'failed', retryable: false });
  expect((await results.next()).value).toEqual({ ...away, line: 5 });
  batch.end();
  expect((await results.next()).done).toBe(true);

  const refused = await postBatch(gateway, ada, linesOf(freshLines(3)));
  expect(refused).toMatchObject({ status: 503, error: { error: away.error } });
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect(gateway.stamping.commands).toHaveLength(commands);
}, 60_000);
