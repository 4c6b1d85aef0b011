import { setTimeout as delay } from 'node:timers/promises';
import { type ServiceName, serviceNames } from '@indelible/launcher';
import type { FaultySubscriber } from '../../public-events/support/subscriber.ts';
import type { EventWatch } from '../../public-events/support/watch-events.ts';
import type { Fault } from './faults.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

/** Longer than a consumer group's session, so that its partitions go to nobody and come back. */
const longestPauseMs = 15_000;
/** Shorter than a webhook's first retry may be away, so that most events get through at the second attempt. */
const longestDisturbanceMs = 4_000;

/** Faults of processes on the path of public events: the service, the broker, subscribers. */
export function createProcessFaults(world: World, watch: EventWatch, outside: readonly FaultySubscriber[]) {
  const { services } = world.stack;
  const underWay = new Map<string, Promise<void>>();
  const frozen = new Set<number>();

  /** One of a process at a time; others go on meanwhile. */
  function begin(of: string, work: () => Promise<void>): void {
    if (!underWay.has(of))
      underWay.set(
        of,
        work().finally(() => underWay.delete(of)),
      );
  }

  const signal = (pid: number, name: NodeJS.Signals): void => {
    try {
      process.kill(pid, name);
    } catch (error) {
      // It has been killed meanwhile.
      if ((error as { code?: unknown }).code !== 'ESRCH') throw error;
    }
  };
  async function pause(service: ServiceName, ms: number): Promise<void> {
    const pid = services[service].pid();
    if (pid === undefined) return;
    signal(pid, 'SIGSTOP');
    frozen.add(pid);
    await delay(ms);
    frozen.delete(pid);
    signal(pid, 'SIGCONT');
  }
  async function restart(service: ServiceName): Promise<void> {
    if (services[service].pid() !== undefined) await services[service].restart({});
  }
  async function freezeKafka(ms: number): Promise<void> {
    await world.kafka.freeze();
    await delay(ms);
    await world.kafka.thaw();
  }
  async function killKafka(): Promise<void> {
    await world.kafka.kill();
    await world.kafka.start();
  }

  const kinds = {
    'SIGKILL notifications': () => services.notifications.kill(),
    'SIGTERM notifications': async () => begin('notifications', () => restart('notifications')),
    'SIGKILL Kafka': killKafka,
    'SIGKILL a subscriber': async () => begin('subscriber', watch.topic.restart),
  };
  const named = (name: keyof typeof kinds): Fault => ({ name, make: kinds[name] });
  const pausing = (service: ServiceName, ms: number): Fault => ({
    name: `SIGSTOP ${service}`,
    make: async () => begin(service, () => pause(service, ms)),
  });

  const disturbing = ({ name, faults }: FaultySubscriber, fault: string, ms: number): Fault => ({
    name: fault,
    make: async () => begin(name, async () => faults[fault]?.(ms)),
  });

  return {
    choose: (random: Random): Fault =>
      random.weighted<() => Fault>([
        [3, () => named('SIGKILL notifications')],
        [2, () => named('SIGTERM notifications')],
        [2, () => named('SIGKILL a subscriber')],
        [1, () => named('SIGKILL Kafka')],
        [
          1,
          () => {
            const ms = 1_000 + random.below(6_000);
            return { name: 'SIGSTOP Kafka', make: () => freezeKafka(ms) };
          },
        ],
        [
          4,
          () => {
            const subscriber = random.pick(outside);
            return disturbing(
              subscriber,
              random.pick(Object.keys(subscriber.faults)),
              random.below(longestDisturbanceMs),
            );
          },
        ],
        [2, () => pausing('notifications', 500 + random.below(longestPauseMs))],
        [1, () => pausing(random.pick(serviceNames), 500 + random.below(longestPauseMs))],
      ])(),
    /** What every run has at least once, however short it is. */
    sure: (): readonly Fault[] => [
      ...(Object.keys(kinds) as (keyof typeof kinds)[]).map(named),
      { name: 'SIGSTOP Kafka', make: () => freezeKafka(3_000) },
      pausing('notifications', longestPauseMs),
      ...outside
        .slice(0, 2)
        .flatMap((one) => Object.keys(one.faults).map((fault) => disturbing(one, fault, longestDisturbanceMs / 2))),
    ],
    /** Everything started has ended. */
    async end(): Promise<void> {
      await Promise.all(underWay.values());
    },
    /** A frozen process could not be stopped. */
    thaw: (): void => frozen.forEach((pid) => void signal(pid, 'SIGCONT')),
  };
}
