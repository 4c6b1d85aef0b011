import { randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import type { CreateWriteStreamOptions, File } from '@google-cloud/storage';
import type { StagedWriter } from '../blob-store.ts';
import { startCrc32c } from '../crc32c.ts';
import { BlobStoreUnavailableError, StagedIdTakenError } from '../errors.ts';
import { statusOf, translated, withinTime } from './gcs-faults.ts';
import { factsOf, markName } from './objects.ts';

/** Bytes gathered before an upload; content that fits is sent in a single request. */
const blockBytes = 256 * 1024;
/** One request of a resumable upload: kept until GCS has it, so that it can be sent again. A multiple of 256 KiB. */
const requestBytes = 4 * 1024 * 1024;

/**
 * Uploads to a free name, resumably, as the content arrives; at most two requests' worth is held. GCS shows the object
 * only when it is whole. An aborted upload stays invisible, and GCS drops it after a week.
 */
export function openStagedWriter(file: File, operationMs: number): StagedWriter {
  const checksum = startCrc32c();
  const mark = randomUUID();
  const upload: CreateWriteStreamOptions = {
    validation: 'crc32c',
    preconditionOpts: { ifGenerationMatch: 0 },
    metadata: { contentType: 'application/octet-stream', metadata: { [markName]: mark } },
  };
  let block = Buffer.alloc(0);
  let filled = 0;
  let sending: Sending | undefined;
  let finishing = false;
  let aborted = false;

  async function write(chunk: Uint8Array): Promise<void> {
    for (let start = 0; start < chunk.byteLength; ) {
      if (block.length === 0) block = Buffer.allocUnsafeSlow(blockBytes);
      const taken = chunk.subarray(start, start + blockBytes - filled);
      block.set(taken, filled);
      filled += taken.byteLength;
      start += taken.byteLength;
      if (filled === blockBytes) await sendBlock();
    }
    checksum.update(chunk);
  }
  async function sendBlock(): Promise<void> {
    sending ??= startSending(
      file.createWriteStream({ ...upload, resumable: true, chunkSize: requestBytes }),
      operationMs,
    );
    const full = block.subarray(0, filled);
    // The upload owns the block now.
    block = Buffer.alloc(0);
    filled = 0;
    await sending.write(full);
  }
  async function send(): Promise<void> {
    if (sending === undefined) {
      await withinTime(operationMs, file.save(block.subarray(0, filled), { ...upload, resumable: false }));
      return;
    }
    if (filled > 0) await sendBlock();
    await sending.end();
  }
  /** After a 412: whether this writer created the object (response lost). */
  async function isOwn(): Promise<boolean> {
    return (await factsOf(file))?.mark === mark;
  }

  const refuseAborted = (): void => {
    if (aborted) throw new BlobStoreUnavailableError('the content was given up');
  };
  return {
    write: (chunk) =>
      translated('staged content could not be written', async () => {
        refuseAborted();
        await naming412(write(chunk));
      }),
    finish: () =>
      translated('staged content could not be finished', async () => {
        refuseAborted();
        finishing = true;
        try {
          await send();
        } catch (error) {
          if (statusOf(error) !== 412 || !(await isOwn())) throw named(error);
        }
        return { size: checksum.size, crc32c: checksum.value };
      }),
    async abort() {
      aborted = true;
      sending?.destroy();
      if (!finishing) return;
      try {
        // Another writer of this id may have been faster: its object stays.
        const found = await withinTime(operationMs, factsOf(file));
        if (found?.mark === mark)
          await withinTime(operationMs, file.delete({ ifGenerationMatch: found.generation, ignoreNotFound: true }));
      } catch {}
    },
  };
}

const named = (error: unknown): unknown =>
  statusOf(error) === 412 ? new StagedIdTakenError('content is staged under this id') : error;

async function naming412(operation: Promise<void>): Promise<void> {
  try {
    await operation;
  } catch (error) {
    throw named(error);
  }
}

type Sending = { write(bytes: Buffer): Promise<void>; end(): Promise<void>; destroy(): void };

/** The client's upload stream with its first fault kept, and a bound on every wait for progress. */
function startSending(stream: Writable, operationMs: number): Sending {
  let fault: unknown;
  const failed = new Promise<never>((_resolve, reject) => {
    stream.on('error', (error) => {
      fault ??= error;
      reject(error);
    });
    stream.once('close', () => {
      if (!stream.writableFinished) reject(new BlobStoreUnavailableError('the upload broke off'));
    });
  });
  failed.catch(() => {});
  const progress = async (start: (done: (error?: Error | null) => void) => void): Promise<void> => {
    const step = new Promise<void>((resolve, reject) => {
      start((error) => (error ? reject(error) : resolve()));
    });
    try {
      await withinTime(operationMs, Promise.race([step, failed]), () => stream.destroy());
    } catch (error) {
      throw fault ?? error;
    }
  };
  return {
    write: (bytes) => progress((done) => stream.write(bytes, done)),
    end: () => progress((done) => stream.end(done)),
    destroy: () => void stream.destroy(),
  };
}
