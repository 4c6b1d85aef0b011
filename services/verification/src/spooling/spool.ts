import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hex } from '@indelible/identifiers';
import { settlesWithin, UnavailableError } from '@indelible/service-runtime';
import type { DiskBudget } from './disk-budget.ts';

/**
 * Bytes from one writer to one reader, which do not wait for each other: the first bytes in memory, more in temporary
 * files. These have no name, so that nothing of them remains when the process ends.
 */
export type Spool = {
  /**
   * Copies the bytes.
   * @throws UnavailableError when there is no room in time; what `fail` was given, or that the spool is closed
   */
  write(bytes: Buffer): Promise<void>;
  /** Nothing more is written. */
  end(): void;
  /** The reader gets the error after everything written before, the writer at once. */
  fail(error: unknown): void;
  /** The written bytes, to their end; once. The reader owns each chunk. @throws what `fail` was given */
  read(): AsyncGenerator<Buffer, void, undefined>;
  /** Removes everything, read or not. */
  close(): Promise<void>;
};

export type SpoolSettings = {
  readonly directory: string;
  readonly budget: DiskBudget;
  /** Per spool; small ones need no file. */
  readonly memoryBytes: number;
  /** A file is removed once read, which frees its room. */
  readonly segmentBytes: number;
  /** How long a writer without room waits for a segment to be read before it fails. 0: not at all. */
  readonly roomMs: number;
};

export const spoolDefaults = { memoryBytes: 128 * 1024, segmentBytes: 16 * 2 ** 20 };

const readBytes = 128 * 1024;
/** How often to check for room that others freed. */
const roomPollMs = 250;

type Segment = { readonly file: FileHandle; written: number; read: number };

export function createSpool(account: Hex, settings: SpoolSettings): Spool {
  const { budget, memoryBytes, segmentBytes } = settings;
  const memory: Buffer[] = [];
  const segments: Segment[] = [];
  /** Bytes in memory, and in files not read yet. */
  let held = 0;
  let filed = 0;
  let bytesRead = 0;
  let isWriting = false;
  let isEnded = false;
  let isClosed = false;
  let failure: { readonly error: unknown } | undefined;
  let changed = Promise.withResolvers<void>();

  function change(): void {
    changed.resolve();
    changed = Promise.withResolvers();
  }
  function requireOpen(): void {
    if (failure !== undefined) throw failure.error;
    if (isClosed) throw new Error('the spool is closed');
  }

  async function write(bytes: Buffer): Promise<void> {
    requireOpen();
    // In order: bytes in memory precede those in files.
    if (filed === 0 && held + bytes.length <= memoryBytes) {
      memory.push(Buffer.from(bytes));
      held += bytes.length;
      change();
      return;
    }
    isWriting = true;
    try {
      const last = segments.at(-1);
      const segment = last !== undefined && last.written < segmentBytes ? last : await addSegment();
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await segment.file.write(bytes, at, bytes.length - at, segment.written);
        segment.written += bytesWritten;
        filed += bytesWritten;
        at += bytesWritten;
      }
    } finally {
      isWriting = false;
      change();
    }
    requireOpen();
  }

  async function addSegment(): Promise<Segment> {
    await roomForSegment();
    try {
      const segment = { file: await openUnnamed(settings.directory), written: 0, read: 0 };
      segments.push(segment);
      return segment;
    } catch (error) {
      budget.release(account, segmentBytes);
      throw error;
    }
  }

  /** A writer without room goes at the reader's pace, while that reads a segment in time. */
  async function roomForSegment(): Promise<void> {
    let deadline = performance.now() + settings.roomMs;
    let from = bytesRead;
    while (!budget.reserve(account, segmentBytes)) {
      if (bytesRead - from >= segmentBytes) {
        from = bytesRead;
        deadline = performance.now() + settings.roomMs;
      }
      const left = deadline - performance.now();
      if (left <= 0) throw new UnavailableError('no room is left to keep what is not read yet');
      await settlesWithin(Math.min(left, roomPollMs), changed.promise);
      requireOpen();
    }
  }

  async function* read(): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      const first = memory.shift();
      if (first !== undefined) {
        held -= first.length;
        bytesRead += first.length;
        change();
        yield first;
        continue;
      }
      const [segment] = segments;
      if (segment !== undefined && segment.read < segment.written) {
        const chunk = Buffer.allocUnsafeSlow(Math.min(readBytes, segment.written - segment.read));
        const { bytesRead: got } = await segment.file.read(chunk, 0, chunk.length, segment.read);
        if (got === 0) throw new Error('a spool file is shorter than what was written');
        segment.read += got;
        filed -= got;
        bytesRead += got;
        change();
        yield chunk.subarray(0, got);
        continue;
      }
      if (segment !== undefined && (segments.length > 1 || segment.written >= segmentBytes)) {
        await drop(segment);
        continue;
      }
      // The last file, when not full, is reused from its start.
      if (segment !== undefined && !isWriting) segment.read = segment.written = 0;
      if (failure !== undefined) throw failure.error;
      if (isClosed) throw new Error('the spool is closed');
      if (isEnded) return;
      await changed.promise;
    }
  }

  async function drop(segment: Segment): Promise<void> {
    const at = segments.indexOf(segment);
    if (at < 0) return;
    segments.splice(at, 1);
    budget.release(account, segmentBytes);
    await segment.file.close();
  }
  async function dropAll(): Promise<void> {
    await Promise.all([...segments].map(drop));
  }

  return {
    write,
    end() {
      isEnded = true;
      change();
    },
    fail(error) {
      failure ??= { error };
      change();
    },
    read,
    async close() {
      isClosed = true;
      memory.length = 0;
      change();
      // A segment being written is removed after its write.
      while (isWriting) await changed.promise;
      await dropAll();
    },
  };
}

/** A nameless file is removed with its last descriptor, however the process ends. */
async function openUnnamed(directory: string): Promise<FileHandle> {
  const path = join(directory, `indelible-spool-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}
