import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
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

/** What happened to the stamp happened once (I5): asked for, submitted, confirmed, in every read model and no stream with a gap. */
export async function expectOnceEverywhere({ pool }: CrashStack, stampId: string, objectCid: string): Promise<void> {
  const types = await pool.query<{ type: string }>(
    `select type from stamping.events where stream = $1 and type in ('StampRequested', 'StampConfirmed') order by version`,
    [`stamp-${stampId}`],
  );
  expect(types.rows.map(({ type }) => type)).toEqual(['StampRequested', 'StampConfirmed']);
  const found = await pool.query('select from verification.commitments where object_cid = $1', [hexOf(objectCid)]);
  expect(found.rowCount).toBe(1);
  const seen = await pool.query('select status from gateway.stamps where id = $1', [stampId]);
  expect(seen.rows).toEqual([{ status: expect.stringMatching(/^(confirmed|finalized)$/) }]);
  for (const schema of ['stamping', 'storage']) {
    const { rows } = await pool.query(
      `select stream from ${schema}.events group by stream having min(version) <> 1 or max(version) <> count(*)`,
    );
    expect(rows).toEqual([]);
  }
}

const ofStamps = ['StampRequested', 'StampRequestJoined', 'StampConfirmed', 'StampFailed', 'StampRequestRefused'];
/** Whose events must have come to whom: each event of these types has its row in that inbox. */
const hearers = [
  // A request without content is nothing to storage until its stamp is confirmed.
  {
    from: 'stamping',
    to: 'storage',
    types: ofStamps,
    unless: `type in ('StampRequested', 'StampRequestJoined', 'StampRequestRefused') and data ->> 'content' is null`,
  },
  {
    from: 'stamping',
    to: 'gateway',
    types: [...ofStamps, 'CollectionRegistered', 'CollectionCreated'],
    unless: 'false',
  },
  { from: 'storage', to: 'gateway', types: ['FileStored'], unless: 'false' },
];

/** No event that was recorded was lost on the way to those it is for. */
export async function expectAllHeard({ pool }: CrashStack): Promise<void> {
  for (const { from, to, types, unless } of hearers) {
    const { rows } = await pool.query(
      `select type, stream from ${from}.events e
       where type = any($1) and not (${unless}) and not exists (
         select from ${to}.inbox i where i.consumer = $2 and i.message_id = e.message_id)`,
      [types, to],
    );
    expect(rows).toEqual([]);
  }
}

/** The stamp has one file, told of once, and its bytes lie once under its path (I5, I7). */
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
  const seen = await pool.query('select file_path from gateway.stamps where id = $1', [stampId]);
  expect(seen.rows).toEqual([{ file_path: rows[0]?.file_path }]);
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

/** Everything that lies staged, finished or not. */
export const stagedFiles = ({ connection }: CrashStack): Promise<string[]> =>
  filesIn(join(connection.blobDirectory, 'staging'));

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name).slice(folder.length + 1)] : [],
  );
}
