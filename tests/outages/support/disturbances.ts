import { connect } from 'node:net';
import { Kafka, logLevel } from 'kafkajs';

/** Redis forgets everything it holds. */
export async function flushRedis(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  await new Promise<void>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write('FLUSHALL\r\n'));
    socket.once('error', reject);
    socket.once('data', (answer) => {
      socket.end();
      if (String(answer) === '+OK\r\n') resolve();
      else reject(new Error(`Redis answers ${answer}`));
    });
  });
}

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
