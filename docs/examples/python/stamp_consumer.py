"""Keeps the receipts of stamps from the Kafka topic: each event takes effect once, gaps are seen, and a reorg takes a receipt back."""
import os
import signal
import sqlite3

from cloudevents.core.bindings.kafka import KafkaMessage, from_kafka
from cloudevents.core.formats.json import JSONFormat
from confluent_kafka import Consumer, KafkaException

database = sqlite3.connect(os.environ.get("DATABASE", "stamps.db"))
database.executescript("""
  create table if not exists handled (id text primary key, time text not null);
  create table if not exists sequences (collection text primary key, last int not null);
  create table if not exists receipts (stamp_id text primary key, transaction_hash text not null, final int not null)""")


def keep(stamp, final):
    receipt = (stamp["stamp_id"], stamp["commitment_receipt"]["transaction_hash"], final)
    database.execute("insert or replace into receipts values (?, ?, ?)", receipt)


# Your part: what a type means to you. What has no handler is passed over.
HANDLERS = {
    "com.indelible.stamp.confirmed.v1": lambda stamp: keep(stamp, 0),
    "com.indelible.stamp.reverted.v1": lambda stamp: database.execute(
        "delete from receipts where stamp_id = ?", (stamp["stamp_id"],)
    ),
    "com.indelible.stamp.finalized.v1": lambda stamp: keep(stamp, 1),
}


def handle(event):
    """One transaction for the effect, the event's id and its number: after a crash all of them are there, or none."""
    collection, sequence = event.get_extension("partitionkey"), int(event.get_extension("sequence"))
    noted = (event.get_id(), event.get_time().isoformat())
    with database:
        if database.execute("insert or ignore into handled values (?, ?)", noted).rowcount == 0:
            return  # it came before
        found = database.execute("select last from sequences where collection = ?", (collection,)).fetchone()
        last = found[0] if found else sequence - 1
        if sequence > last + 1:
            print(f"gap of {sequence - last - 1} in {collection} after {last}", flush=True)
        highest = (collection, max(sequence, last))
        database.execute("insert or replace into sequences values (?, ?)", highest)
        HANDLERS.get(event.get_type(), lambda _: None)(event.get_data())
        print(f"handled {event.get_type()} {event.get_id()} of {event.get_subject()}", flush=True)


def stop(*_):
    global running
    running = False


running = True
signal.signal(signal.SIGTERM, stop)
signal.signal(signal.SIGINT, stop)
consumer = Consumer({
    "bootstrap.servers": os.environ.get("KAFKA_BROKERS", "127.0.0.1:9092"),
    "group.id": os.environ.get("GROUP", "example.stamp-consumer"),
    "auto.offset.reset": "earliest",
    "session.timeout.ms": 10_000,
    "enable.auto.offset.store": False,  # an offset is committed only after its event was handled
})
consumer.subscribe([os.environ.get("TOPIC", "indelible.stamps.v1")])
while running:
    message = consumer.poll(1.0)
    if message is None:
        continue
    if message.error():
        raise KafkaException(message.error())
    handle(from_kafka(KafkaMessage(dict(message.headers()), message.key(), message.value()), JSONFormat()))
    consumer.store_offsets(message)
consumer.close()
