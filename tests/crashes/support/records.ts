import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { recordedEvents, streamsWithGaps } from '@indelible/testing';
import { expect } from '@jest/globals';
import sha3 from 'js-sha3';
import type { CrashStack } from './crash-stack.ts';

const hexOf = (cid: string): Buffer => Buffer.from(cid.slice(2), 'hex');

/** The one stamp of the object. */
export async function stampIdOf({ pool }: CrashStack, objectCid: string): Promise<string> {
  const { rows } = await pool.query<{ id: string; status: string }>(
    'select id, status from stamping.stamps where object_cid = $1',
    [hexOf(objectCid)],
  );
  expect(rows).toEqual([{ id: expect.any(String), status: 'confirmed' }]);
  return rows[0]?.id ?? '';
}

type Status = { readonly id: string; readonly status: string; readonly file_object?: { readonly file_path: string } };

/** The statuses of stamps, as their owner sees them: up to 1,000. */
export async function statusesOf({ connection }: CrashStack, ids: readonly string[]): Promise<readonly Status[]> {
  const response = await fetch(`${connection.rootUrl}/api/v1/stamps/status`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${connection.apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ ids }),
  });
  expect(response.status).toBe(200);
  const { stamps } = (await response.json()) as { stamps: readonly { readonly stamp: Status }[] };
  return stamps.map(({ stamp }) => stamp);
}

/**
 * The stamp's history happened once (I5): requested, submitted, confirmed, in every read model and no stream with a
 * gap.
 */
export async function expectOnceEverywhere(running: CrashStack, stampId: string, objectCid: string): Promise<void> {
  const { pool } = running;
  const events = await recordedEvents(pool, 'stamping');
  const own = events
    .filter(({ stream, type }) => stream === `stamp-${stampId}` && ['StampRequested', 'StampConfirmed'].includes(type))
    .toSorted((one, other) => one.version - other.version);
  expect(own.map(({ type }) => type)).toEqual(['StampRequested', 'StampConfirmed']);
  const found = await pool.query('select from verification.commitments where object_cid = $1', [hexOf(objectCid)]);
  expect(found.rowCount).toBe(1);
  expect(await statusesOf(running, [stampId])).toMatchObject([
    { id: stampId, status: expect.stringMatching(/^(confirmed|finalized)$/) },
  ]);
  expect(streamsWithGaps(events)).toEqual([]);
  expect(streamsWithGaps(await recordedEvents(pool, 'storage'))).toEqual([]);
}

const ofStamps = ['StampRequested', 'StampRequestJoined', 'StampConfirmed', 'StampFailed', 'StampRequestRefused'];
/** Whose events must have come to whom: each event of these types has its row in that inbox. */
const hearers = [
  // Storage hears only of stamps with content.
  {
    from: 'stamping',
    to: 'storage',
    types: ofStamps,
    unless: `data ->> 'content' is null and (type <> 'StampFailed' or not exists (
      select from stamping.stamps s where 'stamp-' || s.id = e.stream and s.content is not null))`,
  },
  {
    from: 'stamping',
    to: 'gateway',
    types: ['CollectionRegistered', 'CollectionCreated'],
    unless: 'false',
  },
];

/** Every recorded event reached its consumers. */
export async function expectAllHeard({ pool }: CrashStack): Promise<void> {
  for (const { from, to, types, unless } of hearers) {
    const { rows } = await pool.query(
      // Rows that events share are of stamps without content.
      `select type, stream from ${from}.events e
       where type = any($1) and record is null and not (${unless}) and not exists (
         select from ${to}.inbox i where i.consumer = $2 and i.message_id = e.message_id)`,
      [types, to],
    );
    expect(rows).toEqual([]);
  }
}

/** The stamp has one file, reported once, and stored once under its path (I5, I7). */
export async function expectOneFile(running: CrashStack, stampId: string, objectCid: string): Promise<void> {
  const { pool } = running;
  const { rows } = await pool.query<{ status: string; file_path: string }>(
    'select status, file_path from storage.files where stamp_id = $1',
    [stampId],
  );
  expect(rows).toEqual([{ status: 'success', file_path: expect.any(String) }]);
  expect(await pathsOf(running, objectCid)).toEqual([rows[0]?.file_path]);
  const told = await pool.query('select type from storage.events where stream = $1', [`file-${stampId}`]);
  expect(told.rows).toEqual([{ type: 'FileStored' }]);
  expect(await statusesOf(running, [stampId])).toMatchObject([{ file_object: { file_path: rows[0]?.file_path } }]);
  expect((await pool.query('select from storage.staged where stamp_id = $1', [stampId])).rowCount).toBe(0);
}

/** Content that could not be stamped is kept once, with a failed record (I7). */
export async function expectKeptAside(running: CrashStack, objectCid: string): Promise<void> {
  const { rows } = await running.pool.query<{ status: string; file_path: string }>(
    'select status, file_path from storage.non_confirmed where object_cid = $1',
    [hexOf(objectCid)],
  );
  expect(rows).toEqual([{ status: 'failed', file_path: expect.stringContaining('/non_confirmed/') }]);
  expect(await pathsOf(running, objectCid)).toEqual([rows[0]?.file_path]);
}

/** The paths under which the content lies. */
async function pathsOf(running: CrashStack, objectCid: string): Promise<string[]> {
  const folder = join(running.connection.blobDirectory, 'objects');
  const paths = await filesIn(folder);
  const cids = await Promise.all(paths.map(async (path) => `0x${sha3.sha3_256(await readFile(join(folder, path)))}`));
  return paths.filter((_, i) => cids[i] === objectCid);
}

/** All staged files, finished or not. */
export const stagedFiles = ({ connection }: CrashStack): Promise<string[]> =>
  filesIn(join(connection.blobDirectory, 'staging'));

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name).slice(folder.length + 1)] : [],
  );
}
