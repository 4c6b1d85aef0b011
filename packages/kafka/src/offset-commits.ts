import type { Logger } from '@indelible/service-runtime';

/** How a kafkajs batch commits offsets. */
export type Committing<Offsets> = {
  uncommittedOffsets(): Offsets;
  commitOffsetsIfNecessary(offsets: Offsets): Promise<void>;
};

/**
 * Commits what is handled, at most once per `everyMs` for all batches: a commit costs as much as a fetch, and the inbox
 * drops what a crash redelivers (I5).
 */
export function createOffsetCommits<Offsets>(options: { readonly everyMs: number; readonly logger: Logger }) {
  let last = Number.NEGATIVE_INFINITY;
  let due: Committing<Offsets> | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function commit(batch: Committing<Offsets>): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    due = undefined;
    last = performance.now();
    await batch.commitOffsetsIfNecessary(batch.uncommittedOffsets());
  }

  return {
    /** After a handled batch: now, or soon. Rejects with an error that makes kafkajs rejoin. */
    async handled(batch: Committing<Offsets>): Promise<void> {
      const left = options.everyMs - (performance.now() - last);
      if (left <= 0) return commit(batch);
      due = batch;
      timer ??= setTimeout(() => {
        commit(batch).catch((error: unknown) =>
          options.logger.debug({ err: error }, 'Offsets were not committed; the next batch does it'),
        );
      }, left);
    },
    /** Commits the rest, before leaving the group. */
    async flush(): Promise<void> {
      if (due !== undefined) await commit(due);
    },
    /** Drops due commits (partitions lost). */
    forget(): void {
      clearTimeout(timer);
      timer = undefined;
      due = undefined;
    },
  };
}
