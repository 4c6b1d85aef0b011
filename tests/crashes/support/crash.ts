import type { ServiceName } from '@indelible/launcher';
import type { FailpointName } from '@indelible/service-runtime';
import { eventually } from '@indelible/testing';
import { expect } from '@jest/globals';
import { type CrashStack, recoveryMs } from './crash-stack.ts';

export type Death = { readonly service: ServiceName; readonly point: FailpointName };

type OfRelay = Extract<FailpointName, `relay.${string}`>;
/** Every service with events has a relay, so a relay's point names one: `relay.published of storage`. */
export type Place = Exclude<FailpointName, OfRelay> | `${OfRelay} of ${ServiceName}`;

export function deathOf(place: Place): Death {
  const [point, service] = place.split(' of ') as [FailpointName, ServiceName | undefined];
  return { point, service: service ?? (point.slice(0, point.indexOf('.')) as ServiceName) };
}

/** Deaths and restarts in the log since a line. */
const told = ({ log }: CrashStack, since: number, { service, point }: Death) => {
  const lines = log
    .slice(since)
    .flatMap((line) => (line.startsWith(`${service} `) ? [line.slice(service.length + 1)] : []));
  return {
    points: lines.filter((line) => line.startsWith('failpoint ')),
    ends: lines.filter((line) => line.startsWith('ended with ')).map((line) => line.split(';')[0]),
    at: `failpoint ${point}: SIGKILL`,
  };
};

/** Resolves when the process has died at its point. */
export async function untilDead(running: CrashStack, since: number, death: Death): Promise<void> {
  await eventually(
    () => {
      const { points, at } = told(running, since, death);
      expect(points).toContain(at);
    },
    { timeoutMs: recoveryMs },
  );
}

/** The process died where it should, once, by SIGKILL, and was restarted: nothing else ended it. */
export async function expectDied(running: CrashStack, since: number, death: Death): Promise<void> {
  await untilDead(running, since, death);
  await eventually(() => {
    const { points, ends, at } = told(running, since, death);
    expect(points).toEqual([at]);
    expect(ends).toEqual(['ended with SIGKILL']);
  });
}
