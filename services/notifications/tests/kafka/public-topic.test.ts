import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { newId } from '@indelible/identifiers';
import { ceTypeOf, publicEventTypes } from '@indelible/public-events';
import { stopAll } from '@indelible/service-runtime';
import { eventually, limitRecords } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Ajv } from 'ajv';
import { type CloudEvent, Kafka } from 'cloudevents';
import kafkajs from 'kafkajs';
import {
  account,
  accountOf,
  accountOpened,
  collectionCreated,
  collectionRegistered,
  confirmed,
  failed,
  fileFailed,
  fileStored,
  finalized,
  hash,
  reverted,
  shownAccount,
  stampOf,
  submitted,
} from '../support/messages.ts';
import {
  createSurroundings,
  distinct,
  expectWhole,
  namesOfStamp,
  publicUrl,
  readRecord,
  type Surroundings,
} from '../support/notifications.ts';

jest.setTimeout(90_000);

let world: Surroundings;
beforeAll(async () => {
  world = await createSurroundings();
  await world.start();
}, 120_000);
afterAll(() => world.stop(), 60_000);

const patience = { timeoutMs: 30_000 };

describe('the public topic', () => {
  it('has every type of event, as CloudEvents that the SDK reads, whose data fits the schema they name', async () => {
    const [one, two] = [stampOf({ clientRef: 'row 1' }), stampOf()];
    const batchId = newId();
    await world.publish(
      accountOpened(),
      collectionRegistered(),
      collectionCreated(),
      submitted(batchId, [one]),
      confirmed(batchId, one),
      reverted(batchId, one),
      confirmed(batchId, one, 'block 2'),
      finalized(batchId, [one], 'block 2'),
      fileStored(one),
      fileFailed(one),
      failed(two),
    );
    await eventually(() => expect(distinct(world.records)).toHaveLength(11), patience);
    const folder = resolve(import.meta.dirname, '../../../../packages/public-events/schemas');
    const types = new Set<string>();
    for (const record of world.records) {
      const { headers, data, key } = readRecord(record);
      const event = Kafka.toEvent({ ...record, headers, body: undefined } as never) as CloudEvent<unknown>;
      types.add(event.type);
      expect(event.validate()).toBe(true);
      expect(event.data).toEqual(data);
      expect(event).toMatchObject({
        specversion: '1.0',
        source: 'indelible/tests',
        datacontenttype: 'application/json',
      });
      expect(event.dataschema).toBe(`${publicUrl}/schemas/${event.type.replace('com.indelible.', '')}.json`);
      const schema = JSON.parse(await readFile(`${folder}/${event.dataschema?.split('/').at(-1)}`, 'utf8'));
      const fits = new Ajv().compile(schema);
      expect([fits(data), fits.errors]).toEqual([true, null]);
      expect(key).toBe(event.type.startsWith('com.indelible.account') ? account : `${account}/${hash('Forest')}`);
      expect(headers.traceparent).toMatch(/^00-4bf92f35/);
    }
    // `webhook.disabled` has no message: tests/postgres/webhooks.test.ts.
    const projected = publicEventTypes.filter(({ name }) => name !== 'webhook.disabled');
    expect([...types].sort()).toEqual(projected.map(ceTypeOf).sort());
    expect(namesOfStamp(world.records, one.stampId).filter((name) => name.startsWith('stamp.'))).toEqual([
      'stamp.submitted',
      'stamp.confirmed',
      'stamp.reverted',
      'stamp.confirmed',
      'stamp.finalized',
    ]);
    const final = distinct(world.records).find(({ headers }) => headers.ce_type?.includes('finalized'));
    expect(final?.data).toEqual({
      stamp_id: one.stampId,
      request_id: one.requestId,
      user_address: shownAccount,
      set_cid: one.setCid,
      object_cid: one.objectCid,
      collection_name: 'Forest',
      client_ref: 'row 1',
      commitment_receipt: {
        transaction_hash: hash('transaction'),
        user_address: shownAccount,
        set_cid: one.setCid,
        object_cid: one.objectCid,
        timestamp: '2026-11-21T04:10:07+00:00',
        chain_id: 31337,
        block_number: 1204,
        block_hash: hash('block 2'),
        log_index: 3,
        contract_address: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
      },
    });
    expectWhole(world.records);
  });

  it('has the events of a stamp in their order though its messages came in another, and once though they came twice (I5)', async () => {
    const stamp = stampOf({ account: accountOf('late') });
    const batchId = newId();
    const [last, first] = [confirmed(batchId, stamp), submitted(batchId, [stamp])];
    const early = [finalized(batchId, [stamp]), fileStored(stamp)];
    await world.publish(...early);
    await world.publish(...early, last);
    const names = ['stamp.submitted', 'stamp.confirmed', 'file.stored', 'stamp.finalized'];
    await eventually(
      () => expect(namesOfStamp(world.records, stamp.stampId).sort()).toEqual(names.toSorted()),
      patience,
    );
    const marker = stampOf({ account: accountOf('late') });
    await world.publish(last, first, ...early, confirmed(batchId, marker));
    await eventually(() => expect(namesOfStamp(world.records, marker.stampId)).toContain('stamp.confirmed'), patience);
    const own = namesOfStamp(world.records, stamp.stampId);
    expect([own.length, own.slice(0, 2)]).toEqual([4, ['stamp.submitted', 'stamp.confirmed']]);
    expectWhole(world.records);
  });

  it('has a second submission after the reversion of the first, though it came before (I4)', async () => {
    const stamp = stampOf({ account: accountOf('again') });
    const [first, second] = [newId(), newId()];
    await world.publish(submitted(second, [stamp], { attempt: 2, reversions: 1 }), fileFailed(stamp, 'later'));
    await eventually(() => expect(namesOfStamp(world.records, stamp.stampId)).toEqual(['file.failed']), patience);
    await world.publish(submitted(first, [stamp], { attempt: 1, reversions: 0 }));
    await world.publish(confirmed(first, stamp), reverted(first, stamp), confirmed(second, stamp, 'block 2'));
    const history = ['submitted', 'confirmed', 'reverted', 'submitted', 'confirmed'].map((name) => `stamp.${name}`);
    await eventually(
      () => expect(namesOfStamp(world.records, stamp.stampId)).toEqual(['file.failed', ...history]),
      patience,
    );
    expectWhole(world.records);
  });

  it('has no event of a message whose text Postgres cannot store: it becomes a dead letter, and others continue (I11)', async () => {
    const bad = [
      stampOf({ account: accountOf('bad'), clientRef: 'a\u0000b' }),
      stampOf({ account: accountOf('bad'), collectionName: 'a\ud800b' }),
    ];
    const good = stampOf({ account: accountOf('good') });
    await world.publish(...bad.map(failed), failed(good));
    await eventually(() => expect(namesOfStamp(world.records, good.stampId)).toEqual(['stamp.failed']), patience);
    await eventually(async () => {
      const letters = await world.bus.deadLetters.list('events.stamps', 10);
      expect(letters.map(({ errorMessage }) => errorMessage)).toEqual(bad.map(() => expect.stringContaining('U+0000')));
    }, patience);
    for (const { stampId } of bad) expect(namesOfStamp(world.records, stampId)).toEqual([]);
  });

  it('continues for others while an event that no broker accepts is held back with its account (I11, I12)', async () => {
    const huge = stampOf({
      account: accountOf('huge'),
      // Incompressible.
      clientRef: randomBytes(300_000).toString('base64'),
      collectionName: randomBytes(300_000).toString('base64'),
    });
    const later = stampOf({ account: accountOf('huge') });
    const other = stampOf({ account: accountOf('other') });
    const limit = (bytes: number) =>
      limitRecords(world.kafka.brokers, `${world.config.publicTopicPrefix}stamps.v1`, bytes);
    await limit(100_000);
    await world.publish(failed(huge));
    await eventually(async () => {
      const { rows } = await world.database.pool.query('select from notifications.unpublished where held');
      expect(rows).toHaveLength(1);
    }, patience);
    await world.publish(failed(later), failed(other));
    await eventually(() => expect(namesOfStamp(world.records, other.stampId)).toEqual(['stamp.failed']), patience);
    expect(namesOfStamp(world.records, later.stampId)).toEqual([]);
    await limit(2_000_000);
    // The next leader retries at once.
    await stopAll(world.services.pop() ?? []);
    await world.start();
    await eventually(() => expect(namesOfStamp(world.records, later.stampId)).toEqual(['stamp.failed']), patience);
    expect(namesOfStamp(world.records, huge.stampId)).toEqual(['stamp.failed']);
    expectWhole(world.records);
  });

  it('gives a subscriber that stops and resumes each event once by id', async () => {
    const topic = `${world.config.publicTopicPrefix}stamps.v1`;
    const client = new kafkajs.Kafka({
      brokers: world.kafka.brokers,
      clientId: 'x',
      logLevel: kafkajs.logLevel.NOTHING,
    });
    const seen: string[] = [];
    const read = async () => {
      const consumer = client.consumer({ groupId: world.kafka.name('resumes') });
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning: true });
      await consumer.run({ eachMessage: async ({ message }) => void seen.push(String(message.headers?.ce_id)) });
      return consumer;
    };
    const first = await read();
    await eventually(() => expect(seen.length).toBeGreaterThan(5), patience);
    await first.stop();
    await first.disconnect();
    const stamp = stampOf();
    await world.publish(confirmed(newId(), stamp));
    const second = await read();
    const all = () => new Set(world.records.map((record) => String(record.headers?.ce_id)));
    await eventually(() => {
      expect(namesOfStamp(world.records, stamp.stampId)).toEqual(['stamp.submitted', 'stamp.confirmed']);
      expect(new Set(seen)).toEqual(all());
    }, patience);
    await second.disconnect();
  });
});
