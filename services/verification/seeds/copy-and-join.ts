import { createLogger } from '@indelible/service-runtime';
import { createMatchingSessions } from '../src/matching/sessions.ts';
import { createSubmittedRows } from '../src/matching/submitted-rows.ts';
import { schema } from '../src/schema.ts';
import { objectOfLargeSet, seededCid, seededSecond, seededTimestamp } from './seeded-commitments.ts';

const logger = createLogger({ service: 'bench', level: 'error' });

const caller = `0x${'11'.repeat(20)}` as const;

const joined = `select count(*)::int as count from pg_temp.submitted o
  join commitments c on c.object_cid = o.cid and c.block_time = o.instant`;

/** How long one COPY and the join take, its rows counted. */
export async function copyAndJoinSeconds(url: string, rows: Buffer): Promise<number> {
  const began = performance.now();
  const sessions = createMatchingSessions({ url, schema, applicationName: 'bench', maxSessions: 1, logger });
  try {
    await sessions.use(
      caller,
      async (session) => {
        await session.copy(rows);
        await session.query(joined);
      },
      new AbortController().signal,
    );
  } finally {
    await sessions.close();
  }
  return (performance.now() - began) / 1_000;
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
