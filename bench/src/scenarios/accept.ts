import { join } from 'node:path';
import { startLoadProcess } from '../load/load-process.ts';
import type { AcceptJob, AcceptOutcome } from '../load/part-jobs.ts';
import type { Row, Scenario } from '../scenario.ts';
import { pausing, type Service } from '../system/pausing.ts';
import { serviceTarget } from '../system/service-target.ts';
import { startSideProcess } from '../system/side-process.ts';

/** What else runs while requests are accepted; services that do not, go on when the measured seconds are over. */
type Mode = { readonly what: string; readonly paused: readonly Service[] };

const connections = [64, 512] as const;
const modes: readonly Mode[] = [
  { what: 'everything runs', paused: [] },
  { what: 'no confirming meanwhile', paused: ['chain-indexer', 'storage', 'verification'] },
  { what: 'stamping stands still', paused: ['stamping'] },
];
/** Longer than the gateway waits to learn what became of a command. */
const secondsStandingStill = 12;

/**
 * POST /stamps with `Prefer: respond-async`, a fresh CID each: answered 202. Beside it, a bare express server reads the same
 * form and answers as much. Every accepted CID must stand on the chain exactly once before the next round.
 */
export const accept: Scenario = {
  name: 'accept',
  about: 'stamps are accepted (202) and confirmed later: requests a second, beside a bare express server',
  async run({ quick, progress, startSystem, signal }) {
    const system = await startSystem();
    const bare = await startSideProcess(join(import.meta.dirname, '../system/bare-express.ts'), {}, signal);
    const load = startLoadProcess(signal);
    try {
      const { rootUrl, apiKey, chain } = serviceTarget(system.connection);
      const run = (
        job: Pick<AcceptJob, 'rootUrl' | 'chain' | 'connections' | 'seconds'>,
        paused: readonly Service[] = [],
      ) =>
        pausing(system, paused, (pause, resume) =>
          load.run({ kind: 'accept', apiKey, warmUpSeconds: quick ? 0.2 : 0.5, ...job }, (mark) =>
            mark === 'begin' ? pause() : resume(),
          ),
        );
      const cases = connections.flatMap((count) =>
        modes.map((mode) => ({ ...mode, count, served: [] as AcceptOutcome[], bare: [] as AcceptOutcome[] })),
      );
      const rounds = quick ? 1 : 3;
      for (let round = quick ? 1 : 0; round <= rounds; round++)
        for (const count of connections) {
          const stage = round === 0 ? 'warm-up' : `round ${round} of ${rounds}`;
          const size = { connections: quick ? 8 : count, seconds: quick ? 0.5 : round === 0 ? 1 : 4 };
          progress(`${stage}: ${count} connections, bare express`);
          const baseline = await run({ rootUrl: bare.url, chain: null, ...size });
          for (const each of cases.filter((one) => one.count === count)) {
            const standsStill = each.paused.includes('stamping');
            // It shows what a 202 waits for: for that once is enough.
            if (standsStill && (quick || round !== 1 || count !== connections[1])) continue;
            progress(`${stage}: ${count} connections, ${each.what}`);
            const seconds = standsStill ? secondsStandingStill : size.seconds;
            const served = await run({ rootUrl, chain, ...size, seconds }, each.paused);
            if (round === 0) continue;
            each.bare.push(baseline);
            each.served.push(served);
          }
        }
      return cases.filter(({ served }) => served.length > 0).map(rowOf);
    } finally {
      await load.stop();
      await bare.stop();
    }
  },
};

function rowOf({
  what,
  paused,
  count,
  ...series
}: Mode & {
  readonly count: number;
  readonly served: readonly AcceptOutcome[];
  readonly bare: readonly AcceptOutcome[];
}): Row {
  const rates = (outcomes: readonly AcceptOutcome[]): number[] => outcomes.map(({ perSecond }) => perSecond);
  return {
    ...{ what: `accepted, ${count} connections, ${what}`, unit: 'requests/s', rounds: rates(series.served) },
    baseline: { what: 'bare express', rounds: rates(series.bare) },
    ...(paused.includes('stamping') ? {} : { reach: { ratioAtLeast: 0.55 } }),
  };
}
