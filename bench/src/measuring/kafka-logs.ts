import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** What is in the logs of Kafka's partitions: of topics, and of the topic that keeps the offsets of consumer groups. */
export type KafkaLogs = { readonly bytes: number; readonly batches: number; readonly offsetBatches: number };

const offsetsTopic = /^__consumer_offsets-/;
/** Of a record batch: its base offset, and how many bytes follow. */
const headBytes = 12;

/** Counts what each segment holds; a batch is what one produce request has for one partition. */
export async function readKafkaLogs(directory: string): Promise<KafkaLogs> {
  let [bytes, batches, offsetBatches] = [0, 0, 0];
  for (const partition of await readdir(directory, { withFileTypes: true })) {
    if (!partition.isDirectory()) continue;
    const folder = join(directory, partition.name);
    for (const file of await readdir(folder)) {
      if (!file.endsWith('.log')) continue;
      // A segment may be removed meanwhile.
      const segment = await readFile(join(folder, file)).catch(() => Buffer.alloc(0));
      if (offsetsTopic.test(basename(folder))) offsetBatches += countBatches(segment);
      else {
        bytes += segment.length;
        batches += countBatches(segment);
      }
    }
  }
  return { bytes, batches, offsetBatches };
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
