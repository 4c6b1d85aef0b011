import type { VerifyOutcome } from '../load/jobs.ts';
import { startLoadProcess } from '../load/load-process.ts';
import { watchMemory } from '../measuring/process-memory.ts';
import type { Scenario } from '../scenario.ts';
import { seedCollection } from '../system/seeded-commitments.ts';
import { createGrowthRows } from './growth-rows.ts';

const formats = ['json', 'csv', 'csv file'] as const;
const collectionName = 'seeded';

/** The list reaches a tenth beyond the collection, and so does the collection beyond the list. */
export const memoryVerify: Scenario = {
  name: 'memory-verify',
  about: '1,000,000 objects are compared with a collection of as many receipts: growth of each process, and time',
  async run(context) {
    const objects = context.quick ? 2_000 : 1_000_000;
    const { connection, services } = await context.startSystem();
    const load = startLoadProcess(context.signal);
    try {
      context.progress(`seeding ${objects} receipts`);
      const { databaseUrl, userAddress, chainId } = connection;
      const collection = { name: collectionName, receipts: objects };
      await seedCollection(databaseUrl, userAddress, chainId, collection);
      const verify = async (format: (typeof formats)[number], from: number, count: number): Promise<number> => {
        const { rootUrl, apiKey } = connection;
        const outcome = await load.run({
          kind: 'verify',
          rootUrl,
          apiKey,
          format,
          collectionName,
          from,
          objects: count,
        });
        requireCounts(outcome, { from, count, receipts: objects });
        return outcome.seconds;
      };
      context.progress('warm-up');
      for (const format of formats) await verify(format, 0, Math.min(objects, 1_000));
      const memory = await watchMemory(Object.values(services));
      const growth = createGrowthRows();
      const times = formats.map((format) => ({ format, rounds: [] as number[] }));
      const rounds = context.quick ? 1 : 2;
      for (let round = 1; round <= rounds; round++)
        for (const { format, rounds: seconds } of times) {
          context.progress(`round ${round} of ${rounds}: ${format}`);
          const grown = await memory.during(async () => {
            seconds.push(await verify(format, objects / 10, objects));
          });
          growth.add(format, grown);
        }
      return [
        ...growth.rows(),
        ...times.map(({ format, rounds }) => ({ what: `${format}, time`, unit: 's' as const, rounds })),
      ];
    } finally {
      await load.stop();
    }
  },
};

/** Of objects `from`… those below `receipts` are in the collection. */
function requireCounts(outcome: VerifyOutcome, asked: { from: number; count: number; receipts: number }): void {
  const matched = Math.min(asked.from + asked.count, asked.receipts) - asked.from;
  const right =
    outcome.status === 200 &&
    outcome.matchedReceipts === matched &&
    outcome.unmatchedObjects === asked.count - matched &&
    outcome.unmatchedReceipts === asked.receipts - matched;
  if (!right) throw new Error(`the answer is not right: ${JSON.stringify(outcome)}`);
}
