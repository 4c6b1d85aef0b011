import { writeSync } from 'node:fs';
import type { FailpointName } from './failpoint-names.ts';
import type { FailpointAction, FailpointPlan } from './parse-failpoints.ts';

const signals = { kill: 'SIGKILL', stop: 'SIGSTOP' } as const satisfies Record<FailpointAction, NodeJS.Signals>;

/** Passings left until each armed point acts; undefined while none is armed, so that a point costs one comparison. */
let armed: Map<FailpointName, { readonly action: FailpointAction; left: number }> | undefined;

/**
 * Arms the points of a plan, in the place of those armed before. Whoever calls it sees to it that no plan reaches a
 * process that serves people.
 */
export function armFailpoints(plan: FailpointPlan): void {
  armed =
    plan.size === 0
      ? undefined
      : new Map([...plan].map(([name, { action, passing }]) => [name, { action, left: passing }]));
}

/** Does nothing, unless it is armed and this is the passing it is armed for: then the process sends itself the signal. */
export function failpoint(name: FailpointName): void {
  if (armed !== undefined) pass(armed, name);
}

function pass(points: NonNullable<typeof armed>, name: FailpointName): void {
  const point = points.get(name);
  if (point === undefined) return;
  point.left -= 1;
  if (point.left > 0) return;
  points.delete(name);
  const signal = signals[point.action];
  // Written before the signal and not by the logger, which would not get to it any more.
  writeSync(2, `failpoint ${name}: ${signal}\n`);
  process.kill(process.pid, signal);
}
