import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { type ServiceName, serviceNames } from './service-table.ts';

/** Each service's log of this start, whole and as JSON, for looking things up later. */
export function openLogFiles(directory: string): {
  write(service: ServiceName, line: string): void;
  close(): Promise<void>;
} {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const files = new Map<ServiceName, WriteStream>(
    serviceNames.map((name) => [name, createWriteStream(join(directory, `${name}.log`), { mode: 0o600 })]),
  );
  return {
    write: (service, line) => void files.get(service)?.write(`${line}\n`),
    async close() {
      await Promise.all([...files.values()].map((file) => new Promise((resolve) => file.end(resolve))));
    },
  };
}
