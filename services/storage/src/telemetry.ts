import type { TopicName } from '@indelible/messages';
import { type Logger, lookUp, stageDurations, traceIdsForLog, unknown } from '@indelible/service-runtime';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { KeptContent } from './use-cases/keep-non-confirmed.ts';
import type { Recorded } from './use-cases/record-stamps.ts';
import type { Stored } from './use-cases/store-files.ts';
import type { UploadHandled } from './use-cases/store-upload.ts';
import type { Swept } from './use-cases/sweep-staged.ts';

export type Telemetry = {
  stampsRecorded(recorded: Recorded): void;
  filesStored(result: Stored, requestIds: ReadonlyMap<string, string>): void;
  /** The confirmation times of stamps in a batch of messages. */
  confirmedStored(stored: Stored['stored'], confirmedAt: ReadonlyMap<string, string>): void;
  uploadHandled(upload: UploadHandled): void;
  contentKeptAside(kept: KeptContent, requestId: string | undefined): void;
  contentKept(count: number): void;
  stagingSwept(swept: Swept): void;
};

/** Each business event's log line and metric, together. */
export function createTelemetry(
  logger: Logger,
  metrics: Registry,
  now: {
    readonly pendingFiles: () => Promise<number>;
    readonly deadLetters: () => Promise<ReadonlyMap<TopicName, number>>;
  },
): Telemetry {
  const counter = (name: string, help: string) => new Counter({ name, help, registers: [metrics] });
  const stored = counter('indelible_storage_files_stored_total', 'Files moved to their final path');
  const failed = counter('indelible_storage_files_failed_total', 'Content that can never be stored');
  const discarded = counter('indelible_storage_content_discarded_total', 'Staged content that no file is made of');
  const swept = counter('indelible_storage_content_swept_total', 'Unclaimed staged content dropped after its deadline');
  const { store } = stageDurations(metrics, ['store']);
  const pendingFiles = lookUp(now.pendingFiles);
  new Gauge({
    name: 'indelible_storage_files_pending',
    help: 'Files that are to be moved to their final path; counted up to 10,000',
    registers: [metrics],
    async collect() {
      this.set((await pendingFiles()) ?? unknown);
    },
  });
  const deadLetters = lookUp(now.deadLetters, { maxAgeMs: 60_000, timeoutMs: 5_000 });
  new Gauge({
    name: 'indelible_dead_letters_waiting',
    help: 'Dead letters of each topic that are neither replayed nor discarded',
    labelNames: ['topic'],
    registers: [metrics],
    async collect() {
      this.reset();
      for (const [topic, count] of (await deadLetters()) ?? []) this.set({ topic }, count);
    },
  });
  const postponed = counter(
    'indelible_storage_files_postponed_total',
    'Files that could not be moved and are tried again later',
  );
  const tellFailed = (stampId: string, error: unknown): void => {
    failed.inc();
    logger.error({ stampId, err: error }, 'the content of a stamp cannot be stored: its file has failed');
  };
  const uploads = new Counter({
    name: 'indelible_storage_uploads_total',
    help: 'Uploads of content stamped earlier, by what came of them',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  const aside = counter('indelible_storage_non_confirmed_total', 'Content kept for what could not be stamped');
  const telemetry: Telemetry = {
    stampsRecorded(recorded) {
      discarded.inc(recorded.discards.length);
      for (const { stampId, fault } of recorded.failed) tellFailed(stampId, fault);
    },
    filesStored(result, requestIds) {
      stored.inc(result.stored.length);
      for (const { stampId, error } of result.failed) tellFailed(stampId, error);
      if (result.postponed > 0) {
        postponed.inc(result.postponed);
        logger.warn({ files: result.postponed }, 'Files could not be moved; trying again later');
      }
      if (result.stored.length === 0) return;
      // A line stays short under load: a request can then be followed by its stamp's id.
      const shown = result.stored.slice(0, 50).flatMap(({ stampId }) => requestIds.get(stampId) ?? []);
      const traced = traceIdsForLog(result.stored.map(({ traceparent }) => traceparent));
      logger.info({ files: result.stored.length, requestIds: shown, ...traced }, 'files stored');
    },
    confirmedStored(stored, confirmedAt) {
      for (const { stampId } of stored) {
        const time = confirmedAt.get(stampId);
        if (time !== undefined) store((Date.now() - Date.parse(time)) / 1_000);
      }
    },
    uploadHandled({ requestId, stored: result, outcome, faults, kept }) {
      uploads.inc({ outcome: outcome.state === 'stored' ? outcome.outcome : outcome.state });
      stored.inc(result.stored.length);
      for (const { stampId, error } of result.failed) tellFailed(stampId, error);
      for (const fault of faults) {
        failed.inc();
        logger.error({ requestId, err: fault }, 'uploaded content cannot be stored');
      }
      if (result.postponed > 0) {
        postponed.inc(result.postponed);
        logger.warn({ requestId, files: result.postponed }, 'Uploaded files could not be moved; trying again later');
      }
      if (result.stored.length > 0) {
        const traced = traceIdsForLog(result.stored.map(({ traceparent }) => traceparent));
        logger.info({ requestId, files: result.stored.length, ...traced }, 'uploaded files stored');
      }
      telemetry.contentKept(kept);
    },
    contentKeptAside({ filePath, fault, unswept }, requestId) {
      if (filePath !== null) aside.inc();
      if (fault !== null) {
        failed.inc();
        logger.error({ requestId, err: fault }, 'content that could not be stamped cannot be kept');
      }
      telemetry.contentKept(unswept);
    },
    contentKept(count) {
      if (count > 0) logger.warn({ count }, 'staged content could not be discarded: it is left to the sweep');
    },
    stagingSwept(result) {
      swept.inc(result.discarded);
      if (result.discarded > 0) logger.info(result, 'unclaimed staged content swept');
    },
  };
  return telemetry;
}
