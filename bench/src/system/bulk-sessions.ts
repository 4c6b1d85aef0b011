import pg from 'pg';

/** As many statements run at a time. */
const atOnce = 2;

/**
 * Runs groups of long statements, each group in its order, in sessions with room for sorting.
 * @throws whatever a statement fails with, or the signal's reason: what runs then is cancelled
 */
export async function runGroups(
  databaseUrl: string,
  groups: readonly (readonly string[])[],
  signal: AbortSignal,
): Promise<void> {
  const waiting = [...groups];
  const failed = new AbortController();
  const over = AbortSignal.any([signal, failed.signal]);
  const work = async (): Promise<void> => {
    try {
      await inSession(databaseUrl, over, async (run) => {
        for (let group = waiting.shift(); group !== undefined; group = waiting.shift())
          for (const statement of group) await run(statement);
      });
    } catch (error) {
      failed.abort(error);
      throw error;
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: atOnce }, work));
  signal.throwIfAborted();
  const failure = outcomes.find(({ status }) => status === 'rejected');
  if (failure !== undefined) throw failed.signal.reason;
}

async function inSession(
  databaseUrl: string,
  signal: AbortSignal,
  work: (run: (statement: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  const session = new pg.Client({ connectionString: databaseUrl });
  await session.connect();
  const cancel = async (pid: number): Promise<void> => {
    const other = new pg.Client({ connectionString: databaseUrl });
    await other.connect();
    await other.query('select pg_cancel_backend($1)', [pid]).finally(() => other.end());
  };
  let pid = 0;
  // What fails here lets the statement go on to its end, as without us.
  const onAbort = (): void => void cancel(pid).catch(() => {});
  try {
    const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid');
    pid = rows[0]?.pid ?? 0;
    signal.addEventListener('abort', onAbort, { once: true });
    await session.query(`set maintenance_work_mem = '768MB'; set synchronous_commit = off`);
    await work(async (statement) => {
      signal.throwIfAborted();
      await session.query(statement);
    });
  } finally {
    signal.removeEventListener('abort', onAbort);
    await session.end();
  }
}
