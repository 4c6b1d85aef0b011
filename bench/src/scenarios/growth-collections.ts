import { cidOfCollectionName } from '@indelible/identifiers';
import { startLoadProcess } from '../load/load-process.ts';
import { requireOpenFiles } from '../load/open-files.ts';
import type { Scenario } from '../scenario.ts';
import { growCollections } from '../system/grown-collections.ts';
import { settleStores } from '../system/grown-stores.ts';
import { makeCollection } from '../system/make-collection.ts';
import { serviceTarget } from '../system/service-target.ts';
import { createCurveRows } from './curve-rows.ts';
import { linesUnderWay } from './lines-under-way.ts';

const name = 'growth of collections';

/** Stamps into one collection of an account that has ever more of them. */
export const growthCollections: Scenario = {
  name: 'growth-collections',
  about: 'stamps into one collection against the number of collections of the account',
  async run({ quick, progress, startSystem, signal }) {
    const plan = quick ? quickPlan : fullPlan;
    requireOpenFiles(plan.callers);
    const { connection } = await startSystem();
    const { databaseUrl } = connection;
    const target = { ...serviceTarget(connection), collections: [{ name, setCid: cidOfCollectionName(name) }] };
    const load = startLoadProcess(signal);
    const { callers, linesPerBatch } = plan;
    try {
      progress('making the collection');
      await makeCollection(connection, name, signal);
      if (!quick) {
        progress('warming up');
        await load.run({ kind: 'closed loop', callers, ...target, ...warmUp });
      }
      const rows = createCurveRows('collections of the account');
      let grown = 0;
      for (const size of plan.sizes) {
        // The one that is stamped into counts.
        await growCollections(databaseUrl, { account: target.chain.user, from: grown, to: size - 1 });
        await settleStores(databaseUrl);
        grown = Math.max(grown, size - 1);
        for (let round = 1; round <= plan.rounds; round++) {
          progress(`${size.toLocaleString('en')} collections, round ${round} of ${plan.rounds}`);
          const waiting = await load.run({ kind: 'closed loop', callers, ...target, ...plan.load });
          const line = `${callers.toLocaleString('en')} callers`;
          rows.add({ line, unit: 'stamps/s', x: size }, waiting.stampsPerSecond);
          rows.add({ line: `${line}, p50`, unit: 'ms', x: size }, waiting.latencyMs.p50);
          rows.add({ line: `${line}, p99`, unit: 'ms', x: size }, waiting.latencyMs.p99);
          const job = { kind: 'stamp batches', connections: 1, linesPerBatch, linesUnderWay } as const;
          const streamed = await load.run({ ...job, ...target, ...plan.load });
          rows.add({ line: 'batch input', unit: 'stamps/s', x: size }, streamed.stampsPerSecond);
        }
      }
      return rows.rows();
    } finally {
      await load.stop();
    }
  },
};

const warmUp = { warmUpSeconds: 0, seconds: 10 };
const fullPlan = {
  ...{ sizes: [1, 1_000, 100_000], rounds: 2, callers: 1_024, linesPerBatch: 50_000 },
  load: { warmUpSeconds: 2, seconds: 6 },
};
const quickPlan: typeof fullPlan = {
  ...{ sizes: [1, 50], rounds: 1, callers: 8, linesPerBatch: 500 },
  load: { warmUpSeconds: 0, seconds: 2 },
};
