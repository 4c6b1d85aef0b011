import { StoreUploadedContent } from '@indelible/messages';
import { inParallel } from './in-parallel.ts';
import type { UploadMessage } from './record-upload.ts';
import type { StorePorts } from './store-files.ts';
import { storeUpload, type UploadHandled } from './store-upload.ts';

/** Contents handled at once: each waits for the disk, or for the bucket. */
const width = 8;

/** An upload and the id of the HTTP request behind it. */
export type ReceivedUpload = { readonly message: UploadMessage; readonly httpRequestId: string | undefined };

/**
 * Stores a batch: the uploads of one content one after the other, in their order, others beside them. All are tried;
 * then the first fault is thrown, and the whole batch may be handed over again.
 */
export async function storeUploads(
  ports: StorePorts,
  batch: readonly ReceivedUpload[],
  onHandled: (upload: UploadHandled) => void,
): Promise<void> {
  const byContent = Map.groupBy(batch, ({ message }) => StoreUploadedContent.key(message.data));
  const faults = await inParallel([...byContent.values()], width, async (uploads) => {
    try {
      for (const { message, httpRequestId } of uploads) onHandled(await storeUpload(ports, message, httpRequestId));
      return [];
    } catch (error) {
      return [error];
    }
  });
  for (const fault of faults.flat()) throw fault;
}
