import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@indelible/identifiers';
import type { Client, Database } from '@indelible/postgres';
import { decideInTransaction } from '@indelible/postgres';
import type { Component, Logger } from '@indelible/service-runtime';
import type { EventWriter, NewEvent } from '../decisions/event-of.ts';
import type { FileFact } from '../decisions/facts.ts';
import { findOverdueNotes } from '../tables/stamp-order.ts';
import { projectFresh } from './project-facts.ts';

/** Dead letters can be replayed this long: until then their batches are kept. */
const rememberedDays = 30;
/**
 * A file without its stamp's confirmation, or a submission without its reversion, is reported anyway after this time.
 */
const earlyHours = 24;
const mostRows = 5_000;
const hourMs = 3_600_000;

const forgetting = [
  `delete from batches where ctid = any(array(
     select ctid from batches where open_stamps = 0 and touched_at < $1 order by touched_at limit ${mostRows}))`,
  `delete from failed_stamps where ctid = any(array(
     select ctid from failed_stamps where noted_at < $1 order by noted_at limit ${mostRows}))`,
  `delete from stamp_order where ctid = any(array(
     select ctid from stamp_order where noted_at < $1 order by noted_at limit ${mostRows}))`,
];

/** Deletes batches and stamps that get no more messages. @returns how many */
export async function forgetOld(database: Pick<Database, 'query'>, now: Date): Promise<number> {
  const before = new Date(now.getTime() - rememberedDays * 24 * hourMs);
  let forgotten = 0;
  for (const text of forgetting)
    for (let more = true; more; ) {
      const { rowCount } = await database.query(text, [before]);
      forgotten += rowCount ?? 0;
      more = rowCount === mostRows;
    }
  return forgotten;
}

/** Reports files whose stamps' confirmations never came. @returns their events */
export async function reportLateFiles(
  database: Pick<Database, 'transaction'>,
  write: EventWriter,
  now: Date,
): Promise<readonly NewEvent[]> {
  const before = new Date(now.getTime() - earlyHours * hourMs);
  const events: NewEvent[] = [];
  for (;;) {
    const reported = await decideInTransaction(database, async (client) => {
      const files = await takeEarly(client, before);
      const due = files.map((file) => ({ ...file, withStamp: false }));
      return due.length === 0 ? [] : await projectFresh(client, due, write);
    });
    events.push(...reported);
    if (reported.length < mostRows) return events;
  }
}

/** Reports submissions that need not wait for reversions any longer. @returns their events */
export async function reportLateSubmissions(
  database: Pick<Database, 'transaction'>,
  write: EventWriter,
  now: Date,
): Promise<readonly NewEvent[]> {
  const before = new Date(now.getTime() - earlyHours * hourMs);
  const events: NewEvent[] = [];
  for (;;) {
    const reported = await decideInTransaction(database, async (client) => {
      const overdue = await findOverdueNotes(client, before, mostRows);
      const facts = overdue.map((stamp) => ({ ...stamp, ...envelopeAt(now), kind: 'reversion-missing' as const }));
      return facts.length === 0 ? [] : await projectFresh(client, facts, write);
    });
    events.push(...reported);
    if (reported.length < mostRows) return events;
  }
}

/** For a fact without a message; its events get the waiting messages' own. */
const envelopeAt = (now: Date) => ({ messageId: newId(), time: now.toISOString() });

async function takeEarly(client: Client, before: Date): Promise<FileFact[]> {
  const { rows } = await client.query<{ fact: FileFact }>({
    name: 'take-early-files',
    text: `delete from early_files where ctid = any(array(
             select ctid from early_files where noted_at < $1 order by noted_at limit ${mostRows} for update skip locked))
           returning fact`,
    values: [before],
  });
  return rows.map(({ fact }) => fact);
}

/** Does both at its start and hourly, on any replica. */
export function createMemoryKeeper(options: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly write: EventWriter;
  readonly logger: Logger;
  readonly onProjected: (events: readonly NewEvent[]) => void;
}): Component {
  const { database, write, logger } = options;
  const stopping = new AbortController();
  let tending = Promise.resolve();

  async function tend(): Promise<void> {
    try {
      const forgotten = await forgetOld(database, new Date());
      const late = await reportLateFiles(database, write, new Date());
      options.onProjected(late);
      const submissions = await reportLateSubmissions(database, write, new Date());
      options.onProjected(submissions);
      if (forgotten > 0) logger.info({ forgotten }, 'Old batches and stamps forgotten');
      if (late.length > 0) logger.warn({ files: late.length }, 'Files reported without their confirmation');
      if (submissions.length > 0)
        logger.warn({ submissions: submissions.length }, 'Submissions reported without the reversion before them');
    } catch (error) {
      if (!stopping.signal.aborted)
        logger.warn({ err: error }, 'Memory of stamps could not be tended; trying again later');
    }
  }

  return {
    name: 'memory keeper',
    async start() {
      tending = (async () => {
        while (!stopping.signal.aborted) {
          await tend();
          await delay(hourMs, undefined, { signal: stopping.signal }).catch(() => {});
        }
      })();
    },
    async stop() {
      stopping.abort();
      await tending;
    },
  };
}
