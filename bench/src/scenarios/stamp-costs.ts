import { startChild } from '../children/child.ts';
import { grownBetween, type Used, useRows, watchUse } from '../measuring/use.ts';
import type { Row, Scenario } from '../scenario.ts';
import { openEventLog } from '../system/event-log.ts';
import { serviceTarget } from '../system/service-target.ts';

/**
 * The cost of a stamp without content until it is final and its public events are published, counted rather than timed.
 * Under bulk load, statements, bytes, records and batches hardly depend on the machine, so `--hold` can enforce bounds.
 * CPU, which does, is also shown.
 */
export const stampCosts: Scenario = {
  name: 'stamp-costs',
  about: 'what a stamp costs: statements, WAL, records in Kafka, disk, CPU by process',
  async run({ quick, progress, startSystem, signal }) {
    const plan = quick ? quickPlan : fullPlan;
    const system = await startSystem({ countsStatements: true });
    await using log = await openEventLog(system.connection.databaseUrl);
    await using use = await watchUse(system);
    await using load = startChild(signal);
    const target = { ...serviceTarget(system.connection), ...plan.duration };
    const { perSecond, lines } = plan;
    const levels: readonly { name: string; atMost?: typeof heldOfBatches; stamp(): Promise<object>; rounds: Used[] }[] =
      [
        // This cost depends on the machine: the faster it is, the smaller the batches.
        { name: '200 a second', stamp: () => load.run('open loop', { perSecond, ...target }), rounds: [] },
        {
          ...{ name: 'batch input', atMost: heldOfBatches, rounds: [] },
          stamp: () => load.run('stamp batches', { connections: 1, ...lines, ...target }),
        },
      ];
    // The first round warms up.
    for (let round = 0; round <= plan.rounds; round++)
      for (const { name, stamp, rounds } of levels) {
        progress(round === 0 ? `${name}: warming up` : `${name}: round ${round} of ${plan.rounds}`);
        const [before, confirmed] = [await use.read(), await log.confirmedStamps()];
        await stamp();
        await log.untilPublished(plan.eventsPerStamp, signal);
        const [after, stamps] = [await use.read(), (await log.confirmedStamps()) - confirmed];
        if (round > 0) rounds.push({ stamps, used: grownBetween(before, after) });
      }
    return levels.flatMap(({ name, atMost, rounds }): Row[] =>
      useRows(rounds, { end: `, ${name}`, ...(atMost === undefined || quick ? {} : { atMost }) }),
    );
  },
};

const heldOfBatches = { WAL: 5_300, 'WAL records': 26.5, Kafka: 2_150, statements: 0.25, 'batches in Kafka': 0.1 };

const fullPlan = {
  ...{ rounds: 1, perSecond: 200, lines: { linesPerBatch: 10_000, linesUnderWay: 2_000 } },
  /** Events to wait for: with three, also the one of finality. */
  eventsPerStamp: 3,
  duration: { warmUpSeconds: 0, seconds: 10 },
};
const quickPlan: typeof fullPlan = {
  ...{ rounds: 1, perSecond: 10, lines: { linesPerBatch: 100, linesUnderWay: 2_000 } },
  ...{ eventsPerStamp: 2, duration: { warmUpSeconds: 0, seconds: 2 } },
};
