import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startSideProcess } from './side-process.ts';
import type { System } from './start-system.ts';

export type SubscribersSettings = {
  readonly kafkaBrokers: string;
  readonly schemaRegistryUrl: string;
  readonly topicPrefix: string;
  /** A consumer group each. */
  readonly groups: readonly string[];
};

export type Subscribers = {
  /** Resolves when each has had so many stamps. @throws Error when they have not in time, or had more */
  untilEachHas(stamps: number, signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
};

const hadWithinMs = 60_000;

/** Starts so many subscribers of confirmed stamps, from now on, in one process. */
export async function startSubscribers(
  { connection: { kafkaBrokers, schemaRegistryUrl }, topicPrefix }: System,
  count: number,
  signal: AbortSignal,
): Promise<Subscribers> {
  const groups = Array.from({ length: count }, () => `subscriber-${randomUUID()}`);
  const settings: SubscribersSettings = { kafkaBrokers, schemaRegistryUrl, topicPrefix, groups };
  const { url, stop } = await startSideProcess(join(import.meta.dirname, 'subscribers-process.ts'), settings, signal);
  return {
    async untilEachHas(stamps, until) {
      const deadline = performance.now() + hadWithinMs;
      for (;;) {
        const had = (await (await fetch(url, { signal: until })).json()) as number[];
        if (had.every((each) => each === stamps)) return;
        if (had.some((each) => each > stamps)) throw new Error(`no result: ${stamps} stamps, subscribers had ${had}`);
        if (performance.now() > deadline) throw new Error(`no result: of ${stamps} stamps subscribers had ${had}`);
        await delay(50, undefined, { signal: until });
      }
    },
    stop,
  };
}
