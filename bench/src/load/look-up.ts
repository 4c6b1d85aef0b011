import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import pg from 'pg';
import { seededCid } from '../../../services/verification/seeds/seeded-commitments.ts';
import { type Quantiles, quantilesOf } from '../measuring/statistics.ts';
import type { Target } from './stamp-request.ts';

export type LookUpJob = Target & {
  readonly databaseUrl: string;
  readonly callers: number;
  readonly turns: number;
  /** Lists per turn and method. */
  readonly listsPerTurn: number;
  readonly cidsPerList: number;
  readonly knownPerList: number;
  /** Numbers of the seeded objects in the lists. */
  readonly seeded: { readonly from: number; readonly count: number };
};
/** From sending to the answer as objects; milliseconds. */
export type LookUpOutcome = { readonly service: Quantiles; readonly sql: Quantiles };

/** Far above those of the seeded objects: these were never stamped. */
const firstUnknown = 1_000_000_000;
/** A prime that shares no factor with a count of seeded objects: lists are spread over all of them. */
const stride = 7_919;

const listsToWarmUp = 8;

type Way = (cids: readonly string[]) => Promise<number>;

/**
 * Looks up lists of CIDs, alternating between POST /stamps/verify and SQL with the same CIDs. Each caller requests its
 * next list after a response.
 * @throws Error when a method does not find exactly the known CIDs of a list
 */
export async function lookUp(job: LookUpJob): Promise<LookUpOutcome> {
  const agent = new Agent({ keepAlive: true, maxSockets: job.callers });
  const pool = new pg.Pool({ connectionString: job.databaseUrl, max: job.callers });
  const times = { service: [] as number[], sql: [] as number[] };
  const ways: Readonly<Record<keyof typeof times, Way>> = {
    service: (cids) => askService(job, agent, cids),
    sql: (cids) => askDatabase(pool, cids),
  };
  try {
    // Warms up each connection with other lists: plans and pages.
    const first = Array.from({ length: listsToWarmUp * job.callers }, () => newList(job));
    for (const way of Object.values(ways)) await timesOf(job, first, way);
    for (let turn = 0; turn < job.turns; turn++) {
      const lists = Array.from({ length: job.listsPerTurn }, () => newList(job));
      // The second finds pages in memory; each is second equally often.
      const order = turn % 2 === 0 ? (['service', 'sql'] as const) : (['sql', 'service'] as const);
      for (const way of order) times[way].push(...(await timesOf(job, lists, ways[way])));
    }
    return { service: quantilesOf(times.service), sql: quantilesOf(times.sql) };
  } finally {
    agent.destroy();
    await pool.end();
  }
}

let made = 0;
function newList({ cidsPerList, knownPerList, seeded }: LookUpJob): string[] {
  return Array.from({ length: cidsPerList }, (_, i) => {
    const number = made++;
    const isKnown = (i * knownPerList) % cidsPerList < knownPerList;
    return seededCid(isKnown ? seeded.from + ((number * stride) % seeded.count) : firstUnknown + number);
  });
}

async function timesOf(job: LookUpJob, lists: readonly (readonly string[])[], way: Way): Promise<number[]> {
  const waiting = [...lists];
  const times: number[] = [];
  const caller = async (): Promise<void> => {
    for (let list = waiting.pop(); list !== undefined; list = waiting.pop()) {
      const began = performance.now();
      const found = await way(list);
      times.push(performance.now() - began);
      if (found !== job.knownPerList) throw new Error(`${found} found in place of ${job.knownPerList}`);
    }
  };
  await Promise.all(Array.from({ length: job.callers }, caller));
  return times;
}

async function askService({ rootUrl, apiKey }: LookUpJob, agent: Agent, cids: readonly string[]): Promise<number> {
  const body = JSON.stringify({ cids });
  const asking = request(new URL('/api/v1/stamps/verify', rootUrl), {
    ...{ method: 'POST', agent },
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    },
  });
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  asking.once('error', reject);
  asking.once('response', (answer) => json(answer).then(resolve, reject));
  asking.end(body);
  const answered = (await promise) as { readonly stamp_list?: readonly unknown[] };
  if (answered.stamp_list === undefined) throw new Error(`answered ${JSON.stringify(answered).slice(0, 500)}`);
  return answered.stamp_list.length;
}

const columns = 'transaction_hash, user_address, set_cid, object_cid, block_time, chain_id';

async function askDatabase(pool: pg.Pool, cids: readonly string[]): Promise<number> {
  const { rowCount } = await pool.query({
    // Prepared: planning a thousand constants for each partition takes longer than the look-up.
    name: 'look-up',
    text: `select ${columns} from verification.commitments where object_cid = any($1::bytea[])`,
    values: [cids.map((cid) => Buffer.from(cid.slice(2), 'hex'))],
  });
  return rowCount ?? 0;
}
