import { createWriteStream, mkdirSync, openSync, renameSync, statSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { type ServiceName, serviceNames } from './service-table.ts';

/** A service's log keeps one previous file of this size; older lines are dropped. */
const mostFileBytes = 64 * 1024 * 1024;
/** Buffered while the disk is full; further lines are dropped. */
const mostWaitingBytes = 4 * 1024 * 1024;

/**
 * Each service's complete JSON log, for later searches. A start appends to the log of the one before, whose last lines
 * may say why it ended.
 */
export function openLogFiles(
  directory: string,
  limits: { readonly fileBytes: number } = { fileBytes: mostFileBytes },
): {
  write(service: ServiceName, line: string): void;
  close(): Promise<void>;
} {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const files = new Map(
    serviceNames.map((name) => [name, openLogFile(join(directory, `${name}.log`), limits.fileBytes)]),
  );
  return {
    write: (service, line) => files.get(service)?.write(line),
    async close() {
      await Promise.all([...files.values()].map((file) => file.close()));
    },
  };
}

function openLogFile(path: string, mostBytes: number): { write(line: string): void; close(): Promise<void> } {
  let bytes = 0;
  let stream: WriteStream | undefined;
  const ended: Promise<void>[] = [];

  function open(): WriteStream {
    bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    // opened at once, so that the file can be renamed before the first write
    const opened = createWriteStream(path, { fd: openSync(path, 'a', 0o600) });
    // a full disk loses log lines, and stops nothing
    opened.on('error', () => {
      if (stream === opened) stream = undefined;
    });
    return opened;
  }

  function end(of: WriteStream): void {
    ended.push(new Promise((resolve) => of.once('close', resolve)));
    of.end();
  }

  return {
    write(line) {
      stream ??= open();
      if (bytes >= mostBytes) {
        end(stream);
        renameSync(path, `${path}.1`);
        stream = open();
      }
      if (stream.writableLength > mostWaitingBytes) return;
      bytes += Buffer.byteLength(line) + 1;
      stream.write(`${line}\n`);
    },
    async close() {
      if (stream !== undefined) end(stream);
      await Promise.all(ended);
    },
  };
}
