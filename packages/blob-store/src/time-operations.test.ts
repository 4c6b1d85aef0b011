import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import type { BlobStore } from './blob-store.ts';
import { BlobStoreUnavailableError, StagedContentMissingError } from './errors.ts';
import { timeOperations } from './time-operations.ts';

describe('a blob store whose operations are timed', () => {
  it('counts each operation by its outcome, and passes results and faults on', async () => {
    const metrics = new Registry();
    const faults = [new BlobStoreUnavailableError('no answer'), new StagedContentMissingError('nothing there')];
    const store = timeOperations(
      {
        promote: async () => {
          const fault = faults.shift();
          if (fault !== undefined) throw fault;
          return 'stored';
        },
      } as unknown as BlobStore,
      metrics,
    );
    const move = () => store.promote('id', 'a/path', { size: 1, crc32c: 1 });
    await expect(move()).rejects.toThrow('no answer');
    await expect(move()).rejects.toThrow('nothing there');
    expect(await move()).toBe('stored');
    const text = await metrics.metrics();
    for (const outcome of ['unavailable', 'refused', 'ok'])
      expect(text).toContain(
        `indelible_blob_store_operation_duration_seconds_count{operation="promote",outcome="${outcome}"} 1`,
      );
  });
});
