/** Keeps the receipts of stamps from the Kafka topic: each event takes effect once, gaps are seen, and a reorg takes a receipt back. */
import { DatabaseSync } from 'node:sqlite';
import kafkajs, { type KafkaMessage } from 'kafkajs';

const { KAFKA_BROKERS = '127.0.0.1:9092', GROUP = 'example.stamp-consumer', DATABASE = 'stamps.db' } = process.env;
const { TOPIC = 'indelible.stamps.v1' } = process.env;

const database = new DatabaseSync(DATABASE);
database.exec(`
  create table if not exists handled (id text primary key, time text not null);
  create table if not exists sequences (collection text primary key, last int not null);
  create table if not exists receipts (stamp_id text primary key, transaction_hash text not null, final int not null)`);
const noteHandled = database.prepare('insert or ignore into handled (id, time) values (?, ?)');
const findLast = database.prepare('select last from sequences where collection = ?');
const noteLast = database.prepare('insert or replace into sequences (collection, last) values (?, ?)');
const keepReceipt = database.prepare('insert or replace into receipts values (?, ?, ?)');
const dropReceipt = database.prepare('delete from receipts where stamp_id = ?');

type Stamp = { stamp_id: string; commitment_receipt: { transaction_hash: string } };
const keep = ({ stamp_id, commitment_receipt }: Stamp, final: 0 | 1) =>
  keepReceipt.run(stamp_id, commitment_receipt.transaction_hash, final);

/** Your part: what a type means to you. What has no handler is passed over. */
const handlers: Readonly<Record<string, (stamp: Stamp) => void>> = {
  'com.indelible.stamp.confirmed.v1': (stamp) => keep(stamp, 0),
  'com.indelible.stamp.reverted.v1': ({ stamp_id }) => dropReceipt.run(stamp_id),
  'com.indelible.stamp.finalized.v1': (stamp) => keep(stamp, 1),
};

/** One transaction for the effect, the event's id and its number: after a crash all of them are there, or none. */
function handle({ key, value, headers = {} }: KafkaMessage): void {
  const attribute = (name: string) => String(headers[`ce_${name}`]);
  const [collection, sequence] = [String(key), Number(attribute('sequence'))];
  database.exec('begin immediate');
  try {
    if (noteHandled.run(attribute('id'), attribute('time')).changes === 1) {
      const last = findLast.get(collection)?.last as number | undefined;
      if (last !== undefined && sequence > last + 1)
        console.log(`gap of ${sequence - last - 1} in ${collection} after ${last}`);
      if (last === undefined || sequence > last) noteLast.run(collection, sequence);
      handlers[attribute('type')]?.(JSON.parse(String(value)));
      console.log(`handled ${attribute('type')} ${attribute('id')} of ${attribute('subject')}`);
    }
    database.exec('commit');
  } catch (error) {
    database.exec('rollback');
    throw error;
  }
}

const kafka = new kafkajs.Kafka({ clientId: 'stamp-consumer', brokers: KAFKA_BROKERS.split(',') });
const consumer = kafka.consumer({ groupId: GROUP, sessionTimeout: 10_000 });
// The supervisor starts the process again; kafkajs does it by itself for errors of the connection.
consumer.on('consumer.crash', ({ payload }) => {
  if (!payload.restart) process.exit(1);
});
const stop = () => consumer.disconnect().then(() => database.close());
process.once('SIGTERM', stop).once('SIGINT', stop);

await consumer.connect();
await consumer.subscribe({ topic: TOPIC, fromBeginning: true });
// An offset is committed only after its event was handled.
await consumer.run({ eachMessage: async ({ message }) => handle(message) });
