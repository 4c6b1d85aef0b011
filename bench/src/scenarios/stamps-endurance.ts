import { startLoadProcess } from '../load/load-process.ts';
import { requireOpenFiles } from '../load/open-files.ts';
import type { OpenLoopOutcome } from '../load/stamp-jobs.ts';
import { startStandstillSampler } from '../measuring/standstill-sampler.ts';
import type { Row, Scenario } from '../scenario.ts';
import { serviceTarget } from '../system/service-target.ts';

/** No answer may come later after its set time: on a chain of a block a second that is a standstill. */
const longestAllowedMs = 4_000;

/**
 * Stamps at set times for long, on a chain that is written down as in a local start: what only happens now and then (a save, a
 * checkpoint, a collection of garbage) happens many times, and must not be felt.
 */
export const stampsEndurance: Scenario = {
  name: 'stamps-endurance',
  about: '300 stamps a second at set times for ten minutes: no answer more than 4 s after its time',
  async run(context) {
    const { quick, progress, signal } = context;
    const perSecond = quick ? 20 : 300;
    const seconds = quick ? 2 : context.enduranceSeconds;
    requireOpenFiles(perSecond);
    const system = await context.startSystem({ keepsChain: true });
    const { rpcUrl, databaseUrl } = system.connection;
    const sampler = startStandstillSampler({
      ...{ rpcUrl, databaseUrl, chainFile: system.chainFile },
      processes: [
        ...Object.values(system.services),
        ...system.servers.map(({ name, pid }) => ({ name, pid: () => pid })),
      ],
    });
    const load = startLoadProcess(signal);
    try {
      progress(`${perSecond} a second for ${seconds} s`);
      const target = serviceTarget(system.connection);
      const outcome = await load
        .run({ kind: 'open loop', perSecond, ...target, warmUpSeconds: quick ? 0 : 5, seconds })
        .catch((error: unknown) => {
          throw new Error([String(error), ...sampler.explain({})].join('\n'), { cause: error });
        });
      if (outcome.longestMs > longestAllowedMs)
        throw new Error(
          [
            `an answer came ${(outcome.longestMs / 1_000).toFixed(1)} s after its set time, more than ${longestAllowedMs / 1_000} s`,
            ...sampler.explain(outcome.answeredIn),
          ].join('\n'),
        );
      return rowsOf(outcome);
    } finally {
      await load.stop();
      await sampler.stop();
    }
  },
};

const rowsOf = ({ latencyMs, longestMs }: OpenLoopOutcome): readonly Row[] => [
  { what: 'whole, p50', unit: 'ms', rounds: [latencyMs.p50] },
  { what: 'whole, p99', unit: 'ms', rounds: [latencyMs.p99] },
  { what: 'whole, longest', unit: 'ms', rounds: [longestMs], reach: { atMost: longestAllowedMs } },
];
