import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

/** What has been written so far, in bytes, by the name of where to. */
export type WrittenBytes = { read(): Promise<Map<string, number>>; close(): Promise<void> };

/** Watches Postgres' write-ahead log, and the logs of Kafka's partitions where it is known which folder holds them. */
export async function watchWrittenBytes(options: {
  readonly databaseUrl: string;
  readonly kafkaDirectory: string | undefined;
}): Promise<WrittenBytes> {
  const client = new pg.Client({ connectionString: options.databaseUrl });
  await client.connect();
  return {
    async read() {
      const { rows } = await client.query<{ bytes: string }>(
        `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`,
      );
      const bytes = new Map([['WAL', Number(rows[0]?.bytes)]]);
      if (options.kafkaDirectory !== undefined) bytes.set('Kafka', await logBytes(options.kafkaDirectory));
      return bytes;
    },
    close: () => client.end(),
  };
}

/** Of the segments alone: indexes are laid out beforehand. */
async function logBytes(directory: string): Promise<number> {
  let bytes = 0;
  for (const file of await readdir(directory, { recursive: true }))
    if (file.endsWith('.log')) bytes += (await stat(join(directory, file)).catch(() => undefined))?.size ?? 0;
  return bytes;
}
