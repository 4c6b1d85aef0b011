"""Reads a topic to its end with the CloudEvents SDK, and checks each event's data against the schema that its dataschema names."""
import json
import sys
import urllib.request

from cloudevents.core.bindings.kafka import KafkaMessage, from_kafka
from cloudevents.core.formats.json import JSONFormat
from confluent_kafka import Consumer, KafkaError, KafkaException
from jsonschema import Draft7Validator

brokers, group, topic = sys.argv[1:]
consumer = Consumer({
    "bootstrap.servers": brokers,
    "group.id": group,
    "auto.offset.reset": "earliest",
    "enable.partition.eof": True,
})
consumer.subscribe([topic])
partitions = len(consumer.list_topics(topic, timeout=30).topics[topic].partitions)
ended = set()
while len(ended) < partitions:
    message = consumer.poll(1.0)
    if message is None:
        continue
    if message.error():
        if message.error().code() != KafkaError._PARTITION_EOF:
            raise KafkaException(message.error())
        ended.add(message.partition())
        continue
    event = from_kafka(KafkaMessage(dict(message.headers()), message.key(), message.value()), JSONFormat())
    with urllib.request.urlopen(event.get_dataschema()) as response:
        schema = json.load(response)
    Draft7Validator.check_schema(schema)
    faults = [error.message for error in Draft7Validator(schema).iter_errors(event.get_data())]
    print(json.dumps({
        "type": event.get_type(),
        "id": event.get_id(),
        "subject": event.get_subject(),
        "time": event.get_time().isoformat(),
        "sequence": event.get_extension("sequence"),
        "data": event.get_data(),
        "faults": faults,
    }))
consumer.close()
