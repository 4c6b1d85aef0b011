import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Contents of Kafka's partition logs: of topics, and of the consumer offsets topic. */
export type KafkaLogs = { readonly bytes: number; readonly batches: number; readonly offsetBatches: number };

const offsetsTopic = /^__consumer_offsets-/;
/** Head of a record batch: base offset and length. */
const headBytes = 12;

const segmentsIn = async (directory: string): Promise<{ readonly partition: string; readonly path: string }[]> =>
  (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((file) => file.isFile() && file.name.endsWith('.log') && file.parentPath !== directory)
    .map((file) => ({
      partition: file.parentPath.slice(directory.length + 1),
      path: join(file.parentPath, file.name),
    }));

/** Counts what each segment holds; a batch is what one produce request has for one partition. */
export async function readKafkaLogs(directory: string): Promise<KafkaLogs> {
  let [bytes, batches, offsetBatches] = [0, 0, 0];
  for (const { partition, path } of await segmentsIn(directory)) {
    // A segment may be removed in between.
    const segment = await readFile(path).catch(() => Buffer.alloc(0));
    if (offsetsTopic.test(partition)) offsetBatches += countBatches(segment);
    else {
      bytes += segment.length;
      batches += countBatches(segment);
    }
  }
  return { bytes, batches, offsetBatches };
}

/** Of topics and of offsets, without reading the segments. */
export async function kafkaLogBytes(directory: string): Promise<number> {
  let bytes = 0;
  for (const { path } of await segmentsIn(directory)) bytes += (await stat(path).catch(() => undefined))?.size ?? 0;
  return bytes;
}

/** A batch that is not yet wholly written does not count. */
export function countBatches(segment: Buffer): number {
  let batches = 0;
  for (let at = 0; at + headBytes <= segment.length; batches++) {
    at += headBytes + segment.readInt32BE(at + 8);
    if (at > segment.length) break;
  }
  return batches;
}
