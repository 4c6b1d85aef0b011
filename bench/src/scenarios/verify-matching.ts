import { binaryRows, copyAndJoinSeconds } from '../../../services/verification/seeds/copy-and-join.ts';
import { mixedSets, seedCommitments } from '../../../services/verification/seeds/seeded-commitments.ts';
import { migrateVerification } from '../../../services/verification/src/migrate.ts';
import { type Child, startChild, startServer } from '../children/child.ts';
import type { MatchJob, MatchOutcome } from '../load/match-objects.ts';
import { watchMemory } from '../measuring/process-memory.ts';
import { rowOf } from '../rows.ts';
import type { Row, Scenario, ScenarioContext } from '../scenario.ts';
import { inFreshDatabase } from '../system/database.ts';

/**
 * The matching part of verification receives a request for the set of objects and their receipts: it infers, matches
 * and writes the response. Baseline: binary COPY of the same objects, and a join that counts their commitments.
 */
export const verifyMatching: Scenario = {
  name: 'verify-matching',
  about:
    '1,000,000 objects are matched with 2,000,000 commitments: time, beside binary COPY and a join of the same rows',
  async run(context) {
    const objects = context.quick ? 10_000 : 1_000_000;
    const { connection } = await context.startSystem();
    return inFreshDatabase(connection.databaseUrl, async (databaseUrl) => {
      context.progress(`seeding ${2 * objects} commitments`);
      await migrateVerification(databaseUrl);
      await seedCommitments(databaseUrl, { ...mixedSets, count: 2 * objects });
      return measureMatching(databaseUrl, objects, context);
    });
  },
};

async function measureMatching(databaseUrl: string, objects: number, context: ScenarioContext): Promise<Row[]> {
  await using matching = await startServer('matching', { databaseUrl }, context.signal);
  await using load = startChild(context.signal);
  const { url } = matching;
  context.progress('warm-up');
  await match(load, { url, from: 0, objects: Math.min(objects, 10_000), within: objects });
  const memory = await watchMemory([{ name: 'verification', pid: () => matching.pid }]);
  const cases = [
    { what: 'all matched', from: 0, ...newSeries() },
    { what: '90 % matched', from: objects / 10, ...newSeries() },
  ];
  for (const { what, from, whole, firstByte, baseline } of cases) {
    const binary = binaryRows(from, objects);
    for (let round = 1; round <= roundsOf(context); round++) {
      context.progress(`${what}, round ${round} of ${roundsOf(context)}`);
      baseline.push(await copyAndJoinSeconds(databaseUrl, binary));
      await memory.during(what, async () => {
        const outcome = await match(load, { url, from, objects, within: objects });
        whole.push(outcome.seconds);
        firstByte.push(outcome.firstByteSeconds);
      });
    }
  }
  const times = cases.flatMap(({ what, whole, firstByte, baseline }): Row[] => [
    rowOf(`${what}, whole answer`, 's', whole, (seconds) => seconds, {
      what: 'binary COPY and join',
      rounds: baseline,
    }),
    { what: `${what}, to the first byte`, unit: 's', rounds: firstByte },
  ]);
  return [...times, ...memory.rows()];
}

const roundsOf = ({ quick }: ScenarioContext): number => (quick ? 1 : 3);
const newSeries = () => ({ whole: [] as number[], firstByte: [] as number[], baseline: [] as number[] });

/** Requests objects, of which those below `within` are in the set. */
async function match(load: Child, { within, ...job }: MatchJob & { readonly within: number }): Promise<MatchOutcome> {
  const outcome = await load.run('match', job);
  const expected = Math.min(job.from + job.objects, within) - job.from;
  if (outcome.status !== 200 || outcome.matchedReceipts !== expected)
    throw new Error(`the answer is not right: ${JSON.stringify(outcome)}, where ${expected} receipts match`);
  return outcome;
}
