import { setTimeout as delay } from 'node:timers/promises';
import { brokerOf, createMessageBus, type PublicRecord, type RecordPublisher } from '@indelible/kafka';
import { createDatabase } from '@indelible/postgres';
import { publicTopicDefaults, publicTopicOf } from '@indelible/public-events';
import { ConfigurationError, createLogger, isRetryable, withoutSecrets } from '@indelible/service-runtime';
import { type ReplayConfig, readReplayConfig } from './config.ts';
import { cursorText, type ReplayRequest, readReplayWords, refusalOf } from './replaying/replay-words.ts';
import { schema } from './schema.ts';
import { type ReplayProgress, replayLog } from './use-cases/replay-log.ts';

const progressEveryMs = 2_000;
/** How long a slice is retried while the brokers cannot accept it. */
const patienceMs = 60_000;

const say = (text: string): void => void process.stderr.write(`replay: ${withoutSecrets(text)}\n`);

/**
 * The service's command: `--to-topic NAME [--account …] [--since …] …`, with progress on standard error and the result
 * on standard output. SIGINT and SIGTERM end it with the cursor for continuing.
 * @returns the exit code: 0 done, 1 not done or stopped, 2 invalid arguments, 78 invalid configuration
 */
export async function replayCommand(words: readonly string[]): Promise<number> {
  const request = readReplayWords(words, new Date());
  if (typeof request === 'string') {
    say(request);
    return 2;
  }
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  /** What is acknowledged; a failure does not change it. */
  let progress: ReplayProgress = { events: 0, cursor: request.replay.after };
  try {
    const config = readReplayConfig(process.env);
    const refusal = refusalOf(request.topic, config);
    if (refusal !== undefined) {
      say(refusal);
      return 2;
    }
    const began = performance.now();
    const result = await run(config, request, stopping.signal, (now) => {
      progress = now;
    });
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    if (!result.done) say(resumption(request, result));
    process.stdout.write(`${request.json ? jsonOf(request, result, seconds) : textOf(request, result, seconds)}\n`);
    return result.done ? 0 : 1;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    if (progress.cursor !== undefined) say(resumption(request, progress));
    return error instanceof ConfigurationError ? 78 : 1;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
  }
}

async function run(
  config: ReplayConfig,
  request: ReplayRequest,
  signal: AbortSignal,
  onProgress: (progress: ReplayProgress) => void,
) {
  const { topic, replay, dryRun } = request;
  const logger = createLogger({ service: 'replay', level: 'silent' });
  const database = createDatabase({
    ...{ url: config.databaseUrl, schema, applicationName: 'indelible replay', logger },
    maxConnections: 1,
  });
  const bus = createMessageBus({
    ...brokerOf(config),
    clientId: 'notifications-replay',
    source: 'indelible/notifications',
    logger,
  });
  const publisher = bus.createRecordPublisher();
  try {
    if (!dryRun) {
      const { partitions, records } = await bus.provideCopyTopic({
        name: topic,
        like: publicTopicOf(config.publicTopicPrefix),
        settings: publicTopicDefaults,
      });
      if (records > 0n && !request.append && replay.after === undefined)
        throw new Error(`${topic} has ${records} records already: name another topic, or add to it with --append`);
      say(`${topic} has ${partitions} partitions and ${records} records`);
      await publisher.start();
    }
    let saidAt = Number.NEGATIVE_INFINITY;
    return await replayLog(
      {
        database,
        signal,
        publish: dryRun ? async () => {} : (records) => publishInTime(publisher, topic, records, signal),
        onProgress(progress) {
          onProgress(progress);
          if (dryRun || performance.now() - saidAt < progressEveryMs || progress.cursor === undefined) return;
          saidAt = performance.now();
          say(`${progress.events} events so far; ${resumption(request, progress)}`);
        },
      },
      replay,
      { source: config.eventSource, publicUrl: config.publicUrl },
    );
  } finally {
    await Promise.all([publisher.stop(), database.close()]);
  }
}

/** The brokers may have some of them: readers drop duplicates by id. */
async function publishInTime(
  publisher: RecordPublisher,
  topic: string,
  records: readonly Omit<PublicRecord, 'topic'>[],
  signal: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;)
    try {
      return await publisher.publish(records.map((record) => ({ topic, ...record })));
    } catch (error) {
      if (!isRetryable(error) || signal.aborted || performance.now() > deadline) throw error;
      say('the brokers do not answer; trying again');
      await delay(1_000, undefined, { signal }).catch(() => {});
    }
}

/** How to continue: with the same end, so that the parts make one history. */
const resumption = ({ replay }: ReplayRequest, { cursor }: ReplayProgress): string =>
  cursor === undefined
    ? 'nothing is published yet'
    : `to continue from here, add --after ${cursorText(cursor)} --until ${replay.until.toISOString()}`;

type Result = ReplayProgress & { readonly done: boolean };

const jsonOf = ({ topic, replay, dryRun }: ReplayRequest, { events, cursor, done }: Result, seconds: number): string =>
  JSON.stringify({
    ...{ topic, events, done, dryRun, until: replay.until.toISOString() },
    after: done || cursor === undefined ? null : cursorText(cursor),
    seconds,
  });

const textOf = ({ topic, dryRun }: ReplayRequest, { events, done }: Result, seconds: number): string => {
  if (dryRun) return `${events} events would be replayed to ${topic}`;
  const rate = seconds === 0 ? '' : ` (${Math.round(events / seconds)} events/s)`;
  return `${events} events ${done ? 'replayed' : 'replayed before it was stopped'} to ${topic} in ${seconds} s${rate}`;
};

if (import.meta.main) process.exitCode = await replayCommand(process.argv.slice(2));
