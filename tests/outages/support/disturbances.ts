import { Kafka, logLevel } from 'kafkajs';

/** Writes a record that no service can read into each topic. */
export async function poison(brokers: string, topics: readonly string[]): Promise<void> {
  const producer = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING }).producer();
  await producer.connect();
  try {
    await producer.sendBatch({
      topicMessages: topics.map((topic) => ({ topic, messages: [{ key: 'poison', value: 'poison' }] })),
    });
  } finally {
    await producer.disconnect();
  }
}

/** The sum of a metric's samples whose labels are these, as a service tells it now. */
export async function metricOf(
  internalUrl: string,
  name: string,
  labels: Readonly<Record<string, string>>,
): Promise<number> {
  const text = await (await fetch(`${internalUrl}/metrics`)).text();
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
