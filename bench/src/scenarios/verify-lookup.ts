import { mixedSets, seedCommitments } from '../../../services/verification/seeds/seeded-commitments.ts';
import { startChild } from '../children/child.ts';
import type { Quantiles } from '../measuring/statistics.ts';
import { quantileRows } from '../rows.ts';
import type { Scenario } from '../scenario.ts';

/** Other scenarios, on the same servers in a smoke run, seed objects from 0 on. */
const firstObject = 10_000_000;
const cidsPerList = 1_000;

/**
 * POST /stamps/verify with 1,000 CIDs among 2,000,000 commitments, from the request's first byte to the answer read as
 * objects. In turns, the load's process reads the same CIDs from the same table by SQL.
 */
export const verifyLookup: Scenario = {
  name: 'verify-lookup',
  about: '1,000 CIDs are looked up among 2,000,000 commitments: time, beside SQL’s = any of the same CIDs',
  async run({ quick, progress, startSystem, signal }) {
    const count = quick ? 20_000 : 2_000_000;
    const { connection } = await startSystem();
    await using load = startChild(signal);
    progress(`seeding ${count} commitments`);
    const { databaseUrl, rootUrl, apiKey } = connection;
    await seedCommitments(databaseUrl, { ...mixedSets, object: `n + ${firstObject}`, count });
    const seeded = { from: firstObject, count };
    const common = { rootUrl, apiKey, databaseUrl, cidsPerList, seeded, listsPerTurn: quick ? 4 : 32 };
    const cases = [
      { what: '1 caller', callers: 1, knownPerList: cidsPerList },
      { what: '1 caller, half unknown', callers: 1, knownPerList: cidsPerList / 2 },
      { what: '8 callers', callers: 8, knownPerList: cidsPerList },
    ].map((each) => ({ ...each, service: [] as Quantiles[], sql: [] as Quantiles[] }));
    const rounds = quick ? 1 : 3;
    // The first round warms up.
    for (let round = quick ? 1 : 0; round <= rounds; round++)
      for (const { what, callers, knownPerList, service, sql } of cases) {
        progress(`${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}: ${what}`);
        const turns = quick || round === 0 ? 2 : 10;
        const outcome = await load.run('look up', { ...common, callers, knownPerList, turns });
        if (round === 0) continue;
        service.push(outcome.service);
        sql.push(outcome.sql);
      }
    return cases.flatMap(({ what, service, sql }) =>
      quantileRows(`${what}, %`, service, (times) => times, { what: 'SQL = any', rounds: sql }),
    );
  },
};
