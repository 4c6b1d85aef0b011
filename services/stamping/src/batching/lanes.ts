import { setTimeout as delay } from 'node:timers/promises';
import type { Hex } from '@indelible/identifiers';
import { type Component, createOutageLog, type Logger } from '@indelible/service-runtime';
import type { Work } from '../work-channel.ts';
import type { Lane } from './lane.ts';

const triedAgainMs = 1_000;

export type Lanes = Component & {
  wake(work: Work): void;
  /** All lane addresses; undefined while one is not known. */
  addresses(): readonly Hex[] | undefined;
  /** Running lanes, each with its own readiness. */
  each(): readonly Component[];
};

/**
 * The lanes of this replica. A lane's address comes from its key, and a key management service may be unreachable at
 * the start: the lane then starts when it responds, and everything else runs meanwhile (I11).
 */
export function createLanes(options: {
  readonly count: number;
  readonly addressOf: (index: number) => Promise<Hex>;
  readonly make: (index: number, address: Hex) => Lane;
  readonly logger: Logger;
}): Lanes {
  const stopping = new AbortController();
  const lanes: (Lane | undefined)[] = Array.from({ length: options.count }, () => undefined);
  let opening: Promise<unknown> = Promise.resolve();

  async function open(index: number): Promise<void> {
    const outage = createOutageLog({ logger: options.logger, waitingFor: `the key of lane ${index}` });
    while (!stopping.signal.aborted) {
      try {
        const lane = options.make(index, await options.addressOf(index));
        outage.ended();
        lanes[index] = lane;
        return await lane.start();
      } catch (error) {
        outage.failed(error);
        await delay(triedAgainMs, undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
  }

  const known = (): readonly Lane[] => lanes.filter((lane) => lane !== undefined);

  return {
    name: 'keys of lanes',
    async start() {
      opening = Promise.all(lanes.map((_lane, index) => open(index)));
    },
    async stop() {
      stopping.abort();
      await opening;
      await Promise.all(known().map((lane) => lane.stop()));
    },
    ready: () => known().length === options.count,
    wake(work) {
      for (const lane of known()) lane.wake(work);
    },
    addresses: () => (known().length === options.count ? known().map(({ address }) => address) : undefined),
    each: known,
  };
}
