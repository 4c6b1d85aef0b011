/**
 * Matching 1,000,000 objects with 2,000,000 commitments, beside a binary COPY and a join of the same rows:
 * `node bench/verify-matching.ts [--rounds N] [--database URL]`, on the servers of the tests (`npm test` says how they
 * are started). With `--database` the commitments loaded by an earlier run, or loaded into that empty database, stay.
 */
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { parseArgs } from 'node:util';
import { createDatabase, type Database } from '../packages/postgres/src/index.ts';
import { createInternalServer, createLogger, startAll } from '../packages/service-runtime/src/index.ts';
import { testDatabase } from '../packages/testing/src/index.ts';
import { createRoutes } from '../services/verification/src/api/routes.ts';
import { findCandidates } from '../services/verification/src/matching/find-candidates.ts';
import type { Question } from '../services/verification/src/matching/read-upload.ts';
import { createMatchingSessions, type MatchingSession } from '../services/verification/src/matching/sessions.ts';
import { createSubmittedRows } from '../services/verification/src/matching/submitted-rows.ts';
import { migrateVerification } from '../services/verification/src/migrate.ts';
import { schema } from '../services/verification/src/migrations/migrations.ts';
import { createCursorWatch } from '../services/verification/src/projections/cursor-watch.ts';
import { describeMachine } from './src/measuring/machine.ts';
import { watchMemory } from './src/measuring/process-memory.ts';
import { medianOf, medianRatio } from './src/measuring/statistics.ts';
import { environmentLine } from './src/reporting/environment-line.ts';

const commitments = 2_000_000;
const objects = 1_000_000;
const pageLines = 5_000;
const logger = createLogger({ service: 'bench', level: 'silent' });

/**
 * The nth commitment: every second one is of one set of 1,000,000; the others are of ten sets of some ten thousand, of
 * hundreds of some thousand, and of none. Each thousandth repeats its neighbour's object and second in another set.
 */
const load = `
  insert into commitments (object_cid, user_address, chain_id, block_number, log_index, set_cid, block_time,
    transaction_hash, block_hash)
  select sha256(int4send(case when n % 1000 = 999 then n - 1 else n end)),
    substr(sha256(convert_to('user' || case when g < 0 then 'big' else (g % 500)::text end, 'UTF8')), 1, 20), 31337, n / 500, n % 500,
    case when g = 999999 then decode(repeat('00', 32), 'hex') else sha256(convert_to('set' || g, 'UTF8')) end,
    1700000000 + n / 500, sha256(convert_to('tx' || n / 500, 'UTF8')), sha256(convert_to('block' || n / 500, 'UTF8'))
  from (
    select n, case when n % 2 = 0 then -1 when n % 10 in (1, 3) then n % 20 when n % 10 in (5, 7) then 1000 + n % 400
      when n % 200 = 9 then 999999 else 10000 + n % 100 * 1000 + n / 10 % 190 end as g
    from generate_series(1, $1::int) as n
  ) as numbered`;

/** The nth object of the set of 1,000,000; beyond its end one that no set holds. */
function objectOf(n: number): { cid: string; instant: number; sent: string } {
  const number = Buffer.alloc(4);
  number.writeInt32BE(2 * n);
  const instant = 1_700_000_000 + Math.floor((2 * n) / 500);
  const sent = `${new Date(instant * 1_000).toISOString().slice(0, 19)}+00:00`;
  return { cid: createHash('sha256').update(number).digest('hex'), instant, sent };
}

const question: Question = {
  end: true,
  caller: `0x${'11'.repeat(20)}`,
  name: null,
  folded: null,
  owner: null,
};

/** Lines of the internal protocol for objects `from` to `from + count`, some thousand in a page. */
function pagesOf(from: number, count: number): Buffer[] {
  const pages: Buffer[] = [];
  for (let n = from; n < from + count; n += pageLines) {
    const lines = Array.from({ length: Math.min(pageLines, from + count - n) }, (_value, i) => {
      const { cid, instant, sent } = objectOf(n + i);
      return `${JSON.stringify([cid, instant, sent])}\n`;
    });
    pages.push(Buffer.from(lines.join('')));
  }
  return [...pages, Buffer.from(`${JSON.stringify(question)}\n`)];
}

/** The same rows in COPY's binary format. */
function rowsOf(from: number, count: number): Buffer {
  const rows = createSubmittedRows();
  for (let n = 0; n < count; n++) {
    const { cid, instant, sent } = objectOf(from + n);
    rows.add(n, cid, instant, sent);
  }
  return rows.finish();
}

type Verified = { readonly seconds: number; readonly firstByte: number; readonly matched: number };

/** Sends an upload as fast as it is taken, reads the answer to its end, and counts the matched receipts. */
async function verify(port: number, pages: readonly Buffer[]): Promise<Verified> {
  const start = performance.now();
  const sending = request({
    agent: false,
    port,
    method: 'POST',
    path: '/internal/collections/verify',
    headers: { 'content-type': 'application/x-ndjson' },
  });
  const answered = once(sending, 'response');
  for (const page of pages) if (!sending.write(page)) await once(sending, 'drain');
  sending.end();
  const [response] = await answered;
  let firstByte: number | undefined;
  let open = true;
  let matched = 0;
  const needle = Buffer.from('"transaction_hash"');
  let rest = Buffer.alloc(0);
  for await (const chunk of response) {
    firstByte ??= (performance.now() - start) / 1_000;
    if (!open) continue;
    const bytes = Buffer.concat([rest, chunk]);
    const until = bytes.indexOf('],"unmatched_objects"');
    const seen = until === -1 ? bytes : bytes.subarray(0, until);
    for (let at = seen.indexOf(needle); at !== -1; at = seen.indexOf(needle, at + needle.length)) matched++;
    open = until === -1;
    // A mark that is cut in two is found when its other half is there; none is longer than this.
    const kept = Math.max(seen.lastIndexOf(needle) + needle.length, seen.length - 24, 0);
    rest = Buffer.from(seen.subarray(kept));
  }
  if (response.statusCode !== 200) throw new Error(`verification answered ${response.statusCode}`);
  return { seconds: (performance.now() - start) / 1_000, firstByte: firstByte ?? 0, matched };
}

const sessionsOf = (url: string) =>
  createMatchingSessions({ url, schema, applicationName: 'bench', maxSessions: 2, logger });

async function withObjects<Result>(
  url: string,
  rows: Buffer,
  work: (session: MatchingSession) => Promise<Result>,
): Promise<Result> {
  const sessions = sessionsOf(url);
  try {
    return await sessions.use(async (session) => {
      await session.copy(rows);
      return await work(session);
    }, new AbortController().signal);
  } finally {
    await sessions.close();
  }
}

/** The baseline: one COPY and the join, counted. */
async function copyAndJoin(url: string, rows: Buffer): Promise<number> {
  const start = performance.now();
  await withObjects(url, rows, (session) =>
    session.query(
      `select count(*) from pg_temp.submitted o join commitments c on c.object_cid = o.cid and c.block_time = o.instant`,
    ),
  );
  return (performance.now() - start) / 1_000;
}

async function inferenceOf(url: string, count: number): Promise<number> {
  return await withObjects(url, rowsOf(0, count), async (session) => {
    await session.query('analyze pg_temp.submitted');
    const start = performance.now();
    const candidates = await findCandidates(session, question, count);
    const seconds = (performance.now() - start) / 1_000;
    if (candidates[0]?.receipts !== objects) throw new Error('inference did not find the set');
    return seconds;
  });
}

/** The service's part that verifies, in a process of its own, so that its memory is its own. */
async function serve(url: string): Promise<void> {
  const database = databaseOf(url);
  const watch = createCursorWatch({ url, schema, logger });
  const server = createInternalServer({
    host: '127.0.0.1',
    port: 0,
    logger,
    components: () => [],
    routes: createRoutes({ database, watch, sessions: { small: sessionsOf(url), large: sessionsOf(url) }, logger }),
  });
  await startAll([watch, server]);
  process.once('disconnect', () => process.exit());
  process.send?.(server.port());
}

const databaseOf = (url: string): Database =>
  createDatabase({ url, schema, applicationName: 'bench', statementTimeoutMs: 600_000, logger });

async function provide(url: string): Promise<void> {
  await migrateVerification(url);
  const database = databaseOf(url);
  try {
    const { rowCount } = await database.query('select from commitments limit 1');
    if (rowCount === 0) await database.query(load, [commitments]);
    await database.query('vacuum analyze commitments');
  } finally {
    await database.close();
  }
}

async function measure(url: string, rounds: number): Promise<void> {
  process.stdout.write(`${environmentLine(await describeMachine())}\n`);
  const print = (what: string, text: string): void => void process.stdout.write(`${what.padEnd(64)} ${text}\n`);
  const secondsOf = (values: readonly number[]): string =>
    `${medianOf(values).toFixed(3)} s (${Math.min(...values).toFixed(3)}–${Math.max(...values).toFixed(3)})`;
  for (const count of [100, 10_000, objects]) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) times.push(await inferenceOf(url, count));
    print(
      `inference, ${count.toLocaleString('en')} objects among ${commitments.toLocaleString('en')}`,
      secondsOf(times),
    );
  }
  const child = fork(import.meta.filename, ['--serve', url]);
  try {
    const [port] = (await once(child, 'message')) as [number];
    for (const [what, from] of [
      ['all objects matched', 0],
      ['90 % matched', objects / 10],
    ] as const) {
      const [pages, rows] = [pagesOf(from, objects), rowsOf(from, objects)];
      await verify(port, pagesOf(from, 10_000));
      const memory = await watchMemory([{ name: 'verification', pid: () => child.pid }]);
      const verified: Verified[] = [];
      const baseline: number[] = [];
      const growth: number[] = [];
      for (let round = 0; round < rounds; round++) {
        baseline.push(await copyAndJoin(url, rows));
        const [grown] = await memory.during(async () => {
          verified.push(await verify(port, pages));
        });
        if (grown !== undefined) growth.push(grown.megabytes);
      }
      const expected = objects - from;
      if (verified.some(({ matched }) => Math.abs(matched - expected) > 1)) throw new Error(`not ${expected} matched`);
      const times = verified.map(({ seconds }) => seconds);
      print(`${what}: whole verification`, secondsOf(times));
      print(`${what}: to the answer's first byte`, secondsOf(verified.map(({ firstByte }) => firstByte)));
      print(`${what}: baseline, binary COPY and join`, secondsOf(baseline));
      print(`${what}: ratio (to reach: at most 2)`, medianRatio(times, baseline)?.toFixed(2) ?? '');
      print(`${what}: growth of resident memory`, `${growth.map((each) => each.toFixed(0)).join(', ')} MB`);
    }
  } finally {
    child.kill('SIGKILL');
  }
}

const { values } = parseArgs({
  options: { serve: { type: 'string' }, database: { type: 'string' }, rounds: { type: 'string', default: '3' } },
});
if (values.serve !== undefined) await serve(values.serve);
else if (values.database !== undefined) {
  await provide(values.database);
  await measure(values.database, Number(values.rounds));
} else {
  const database = await testDatabase();
  try {
    await provide(database.url);
    await measure(database.url, Number(values.rounds));
  } finally {
    await database.drop();
  }
}
