import { startChild, startServer } from '../children/child.ts';
import type { AcceptJob } from '../load/accept.ts';
import type { LoadOutcome } from '../load/window.ts';
import { quantileRows, rowOf } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { pausing, type Service } from '../system/pausing.ts';
import { serviceTarget } from '../system/service-target.ts';

/** What else runs while requests are accepted; paused services continue after the measured seconds. */
const modes: readonly { readonly what: string; readonly paused: readonly Service[] }[] = [
  { what: 'everything runs', paused: [] },
  { what: 'no confirming meanwhile', paused: ['chain-indexer', 'storage', 'verification'] },
];
const baselineName = 'express and kafkajs, acks=all';

/**
 * POST /stamps with `Prefer: respond-async`, a fresh CID each: response 202. Baseline: an express server that reads the
 * same form, writes it to Kafka as durably and responds alike; for information, one that stores nothing. Every accepted
 * CID must be on the chain exactly once before the next round.
 */
export const accept: Scenario = {
  name: 'accept',
  about: 'stamps are accepted (202) and confirmed later: requests a second, beside express and kafkajs with acks=all',
  async run({ quick, progress, startSystem, signal }) {
    const plan = quick ? quickPlan : fullPlan;
    const system = await startSystem();
    const { kafkaBrokers } = system.connection;
    await using durable = await startServer('durable express', { kafkaBrokers }, signal);
    await using bare = await startServer('bare express', {}, signal);
    await using load = startChild(signal);
    const { rootUrl, apiKey, chain } = serviceTarget(system.connection);
    const service = { rootUrl, chain };
    const run = (
      job: Omit<AcceptJob, 'apiKey' | 'warmUpSeconds'>,
      paused: readonly Service[] = [],
    ): Promise<LoadOutcome> =>
      pausing(system, paused, (pause, resume) =>
        load.run('accept', { apiKey, warmUpSeconds: plan.warmUpSeconds, ...job }, (mark) =>
          mark === 'begin' ? pause() : resume(),
        ),
      );
    const served = modes.map((mode) => ({ ...mode, outcomes: [] as LoadOutcome[] }));
    const beside = { durable: [] as LoadOutcome[], bare: [] as LoadOutcome[] };
    const timed = { served: [] as LoadOutcome[], durable: [] as LoadOutcome[] };
    // The first round warms up.
    for (let round = quick ? 1 : 0; round <= plan.rounds; round++) {
      const stage = round === 0 ? 'warm-up' : `round ${round} of ${plan.rounds}`;
      const size = { connections: plan.connections, seconds: round === 0 ? 1 : plan.seconds };
      const keep = (outcomes: LoadOutcome[], outcome: LoadOutcome): void => {
        if (round > 0) outcomes.push(outcome);
      };
      progress(`${stage}: express, with kafkajs and without`);
      keep(beside.durable, await run({ rootUrl: durable.url, chain: null, ...size }));
      keep(beside.bare, await run({ rootUrl: bare.url, chain: null, ...size }));
      for (const { what, paused, outcomes } of served) {
        progress(`${stage}: ${what}`);
        keep(outcomes, await run({ ...service, ...size }, paused));
      }
      if (round === 0) continue;
      progress(`${stage}: ${plan.open.perSecond} a second at set times`);
      const open = { connections: plan.connections, ...plan.open };
      timed.durable.push(await run({ rootUrl: durable.url, chain: null, ...open }));
      timed.served.push(await run({ ...service, ...open }));
    }
    const rate = ({ perSecond }: LoadOutcome): number => perSecond;
    const who = `${fullPlan.connections} connections`;
    return [
      ...served.map(({ what, outcomes }) =>
        rowOf(`accepted, ${who}, ${what}`, 'requests/s', outcomes, rate, {
          what: baselineName,
          rounds: beside.durable,
        }),
      ),
      rowOf(`bare express, ${who}`, 'requests/s', beside.bare, rate),
      ...quantileRows(
        'a 202 at set times, 1,000 a second, everything runs, %',
        timed.served,
        ({ latencyMs }) => latencyMs,
        { what: baselineName, rounds: timed.durable },
      ),
    ];
  },
};

const fullPlan = {
  ...{ rounds: 3, connections: 512, warmUpSeconds: 0.5, seconds: 4 },
  open: { perSecond: 1_000, seconds: 10 },
};
const quickPlan: typeof fullPlan = {
  ...{ rounds: 1, connections: 8, warmUpSeconds: 0.2, seconds: 0.5 },
  open: { perSecond: 20, seconds: 0.5 },
};
