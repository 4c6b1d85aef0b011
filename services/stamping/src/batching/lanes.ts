import { setTimeout as delay } from 'node:timers/promises';
import type { Hex } from '@indelible/identifiers';
import { type Component, createOutageLog, type Logger } from '@indelible/service-runtime';
import type { Work } from '../work-channel.ts';
import type { Lane } from './lane.ts';

const triedAgainMs = 1_000;

export type Lanes = Component & {
  wake(work: Work): void;
  /** The addresses of all; undefined while one is not known. */
  addresses(): readonly Hex[] | undefined;
  /** Those at work, each ready or not by its name. */
  each(): readonly Component[];
};

/**
 * The lanes of this replica. The address of a lane is its key's, and where a key management service has that it may be
 * unreachable at the start: the lane begins when it answers, and everything else goes on meanwhile (I11).
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
