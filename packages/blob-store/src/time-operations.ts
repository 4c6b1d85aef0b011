import { Histogram, type Registry } from 'prom-client';
import type { BlobStore, StagedWriter } from './blob-store.ts';
import { BlobStoreUnavailableError } from './errors.ts';

/** Neither writes nor reads are timed: clients set their pace. */
type Operation = 'stage' | 'finish' | 'promote' | 'discard' | 'read_staged' | 'open' | 'list_staged';

/** The same store, whose operations are timed. */
export function timeOperations(store: BlobStore, metrics: Registry): BlobStore {
  const durations = new Histogram({
    name: 'indelible_blob_store_operation_duration_seconds',
    help: 'Duration of operations of the blob store; outcome is ok, refused, or unavailable when the store was not reached',
    labelNames: ['operation', 'outcome'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120],
    registers: [metrics],
  });
  async function timed<Result>(operation: Operation, work: () => Promise<Result>): Promise<Result> {
    const began = performance.now();
    const note = (outcome: string): void =>
      durations.observe({ operation, outcome }, (performance.now() - began) / 1_000);
    try {
      const result = await work();
      note('ok');
      return result;
    } catch (error) {
      note(error instanceof BlobStoreUnavailableError ? 'unavailable' : 'refused');
      throw error;
    }
  }
  const timedWriter = (writer: StagedWriter): StagedWriter => ({
    write: (chunk) => writer.write(chunk),
    finish: () => timed('finish', () => writer.finish()),
    abort: () => writer.abort(),
  });
  return {
    stage: async (stagedId) => timedWriter(await timed('stage', () => store.stage(stagedId))),
    promote: (...move) => timed('promote', () => store.promote(...move)),
    discard: (stagedId) => timed('discard', () => store.discard(stagedId)),
    readStaged: (stagedId) => timed('read_staged', () => store.readStaged(stagedId)),
    open: (path) => timed('open', () => store.open(path)),
    listStaged: (page) => timed('list_staged', () => store.listStaged(page)),
    check: () => store.check(),
    requirePlace: () => store.requirePlace(),
  };
}
