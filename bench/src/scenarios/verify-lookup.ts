import { mixedSets, seedCommitments } from '../../../services/verification/seeds/seeded-commitments.ts';
import { startChild } from '../children/child.ts';
import type { LookUpJob } from '../load/look-up.ts';
import type { Quantiles } from '../measuring/statistics.ts';
import type { Row, Scenario } from '../scenario.ts';

/** Objects of their own: other scenarios, on the same servers in a smoke run, seed those from 0 on. */
const firstObject = 10_000_000;
const cidsPerList = 1_000;
const tellers = ['p50', 'p99'] as const;

/**
 * POST /stamps/verify with 1,000 CIDs among 2,000,000 commitments, from the request's first byte to the answer read as
 * objects. In turns with it the load's process reads the same CIDs from the same table by SQL.
 */
export const verifyLookup: Scenario = {
  name: 'verify-lookup',
  about: '1,000 CIDs are looked up among 2,000,000 commitments: time, beside SQL’s = any of the same CIDs',
  async run({ quick, progress, startSystem, signal }) {
    const count = quick ? 20_000 : 2_000_000;
    const { connection } = await startSystem();
    const load = startChild(signal);
    try {
      progress(`seeding ${count} commitments`);
      const { databaseUrl, rootUrl, apiKey } = connection;
      const object = `n + ${firstObject}`;
      await seedCommitments(databaseUrl, { ...mixedSets, object, count });
      const lookUp = (size: Pick<LookUpJob, 'callers' | 'knownPerList' | 'turns' | 'listsPerTurn'>) =>
        load.run('look up', {
          ...{ rootUrl, apiKey, databaseUrl, cidsPerList },
          ...{ seeded: { from: firstObject, count }, ...size },
        });
      const cases = [
        { what: '1 caller', callers: 1, knownPerList: cidsPerList },
        { what: '1 caller, half unknown', callers: 1, knownPerList: cidsPerList / 2 },
        { what: '8 callers', callers: 8, knownPerList: cidsPerList },
      ].map((each) => ({ ...each, service: [] as Quantiles[], sql: [] as Quantiles[] }));
      const listsPerTurn = quick ? 4 : 32;
      const rounds = quick ? 1 : 3;
      // The first round warms up.
      for (let round = quick ? 1 : 0; round <= rounds; round++)
        for (const { what, callers, knownPerList, service, sql } of cases) {
          progress(`${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}: ${what}`);
          const turns = quick || round === 0 ? 2 : 10;
          const outcome = await lookUp({ callers, knownPerList, turns, listsPerTurn });
          if (round === 0) continue;
          service.push(outcome.service);
          sql.push(outcome.sql);
        }
      return cases.flatMap(({ what, service, sql }) =>
        tellers.map((quantile): Row => {
          const of = (measured: readonly Quantiles[]): number[] => measured.map((each) => each[quantile]);
          return {
            ...{ what: `${what}, ${quantile}`, unit: 'ms', rounds: of(service) },
            baseline: { what: `SQL = any, ${quantile}`, rounds: of(sql) },
          };
        }),
      );
    } finally {
      await load.stop();
    }
  },
};
