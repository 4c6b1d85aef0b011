import type { Database } from '@indelible/postgres';
import { faultClassOf, type Logger } from '@indelible/service-runtime';
import type { Lane } from './lane.ts';
import { writeProgress } from './write-progress.ts';

type Ports = {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly now: () => number;
  readonly logger: Logger;
  readonly onDisabled: (lane: Lane) => void;
};

/**
 * Writes the progress of lanes: together, or one by one when one can never be written, so that it does not hold up
 * others (I12).
 * @throws when one could not be written; others may be
 */
export async function writeLanes(ports: Ports, lanes: readonly Lane[]): Promise<void> {
  try {
    for (const lane of await writeProgress(ports, lanes)) ports.onDisabled(lane);
  } catch (error) {
    if (faultClassOf(error) !== 'permanent') throw error;
    if (lanes.length === 1) return await writeWithoutTexts(ports, lanes[0] as Lane, error);
    const failed: unknown[] = [];
    for (const lane of lanes) await writeLanes(ports, [lane]).catch((fault: unknown) => void failed.push(fault));
    if (failed.length > 0) throw failed[0];
  }
}

/** A receiver's response has text that Postgres cannot store; the delivery outcomes are written without it. */
async function writeWithoutTexts(ports: Ports, lane: Lane, err: unknown): Promise<void> {
  ports.logger.error({ err, webhookId: lane.webhook.webhookId }, 'Answers to a webhook could not be stored');
  lane.dropTexts();
  for (const disabled of await writeProgress(ports, [lane])) ports.onDisabled(disabled);
}
