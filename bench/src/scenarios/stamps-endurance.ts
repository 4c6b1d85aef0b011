import { startChild } from '../children/child.ts';
import { quantileRows } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { serviceTarget } from '../system/service-target.ts';

/** The latest a response may come after its set time: later is a standstill, with a block a second. */
const longestAllowedMs = 4_000;

/**
 * Stamps at set times for long, on a chain that is saved as in a local start: rare events (a save, a checkpoint, a
 * garbage collection) happen many times, and must not be noticeable.
 */
export const stampsEndurance: Scenario = {
  name: 'stamps-endurance',
  about: '300 stamps a second at set times for ten minutes: no answer more than 4 s after its time',
  async run({ quick, progress, startSystem, signal }) {
    const perSecond = quick ? 20 : 300;
    const duration = quick ? { warmUpSeconds: 0, seconds: 2 } : { warmUpSeconds: 5, seconds: 600 };
    const { connection } = await startSystem({ keepsChain: true });
    await using load = startChild(signal);
    progress(`${perSecond} a second for ${duration.seconds} s`);
    const target = serviceTarget(connection);
    const { latencyMs, longestMs } = await load.run('open loop', { perSecond, ...target, ...duration });
    if (longestMs > longestAllowedMs)
      throw new Error(`an answer came ${(longestMs / 1_000).toFixed(1)} s after its set time, more than 4 s`);
    return [
      ...quantileRows('whole, %', [latencyMs], (whole) => whole),
      { what: 'whole, longest', unit: 'ms', rounds: [longestMs], atMost: longestAllowedMs },
    ];
  },
};
