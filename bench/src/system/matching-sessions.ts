import { createLogger } from '@indelible/service-runtime';
import { findCandidates } from '../../../services/verification/src/matching/find-candidates.ts';
import { createMatchingSessions, type MatchingSession } from '../../../services/verification/src/matching/sessions.ts';
import { createSubmittedRows } from '../../../services/verification/src/matching/submitted-rows.ts';
import { schema } from '../../../services/verification/src/migrations/migrations.ts';
import { objectOfLargeSet } from './mixed-sets.ts';
import { seededCid, seededSecond, seededTimestamp } from './seeded-commitments.ts';

const logger = createLogger({ service: 'bench', level: 'error' });

async function withObjects<Result>(
  url: string,
  rows: Buffer,
  work: (session: MatchingSession) => Promise<Result>,
): Promise<Result> {
  const sessions = createMatchingSessions({ url, schema, applicationName: 'bench', maxSessions: 1, logger });
  try {
    return await sessions.use(
      caller,
      async (session) => {
        await session.copy(rows);
        return await work(session);
      },
      new AbortController().signal,
    );
  } finally {
    await sessions.close();
  }
}

const caller = `0x${'11'.repeat(20)}` as const;

const joined = `select count(*)::int as count from pg_temp.submitted o
  join commitments c on c.object_cid = o.cid and c.block_time = o.instant`;

/** How long one COPY and the join take, its rows counted. */
export async function copyAndJoinSeconds(databaseUrl: string, rows: Buffer): Promise<number> {
  const began = performance.now();
  await withObjects(databaseUrl, rows, (session) => session.query(joined));
  return (performance.now() - began) / 1_000;
}

/** How long it takes to find the set that objects are of. @throws Error unless it is the one of `within` receipts */
export async function inferenceSeconds(databaseUrl: string, count: number, within: number): Promise<number> {
  return withObjects(databaseUrl, binaryRows(0, count), async (session) => {
    await session.query('analyze pg_temp.submitted');
    const began = performance.now();
    const question = { end: true, caller, name: null, folded: null, owner: null } as const;
    const [found] = await findCandidates(session, question, { count, repeating: [] });
    const seconds = (performance.now() - began) / 1_000;
    if (found?.receipts !== within) throw new Error('inference did not find the set');
    return seconds;
  });
}

/** Objects of the large set, rows in the binary format of COPY. */
export function binaryRows(from: number, count: number): Buffer {
  const rows = createSubmittedRows();
  for (let i = 0; i < count; i++) {
    const object = objectOfLargeSet(from + i);
    rows.add(i, seededCid(object).slice(2), seededSecond(object), seededTimestamp(object));
  }
  return rows.rows();
}
