import { writeSync } from 'node:fs';
import type { FailpointName } from './failpoint-names.ts';
import type { FailpointAction, FailpointPlan } from './parse-failpoints.ts';

const signals = { kill: 'SIGKILL', stop: 'SIGSTOP' } as const satisfies Record<FailpointAction, NodeJS.Signals>;

/** Passes left until each armed point acts; undefined if none is armed, so that a point costs one comparison. */
let armed: Map<FailpointName, { readonly action: FailpointAction; left: number }> | undefined;

/**
 * Arms the points of a plan instead of those armed before. Callers ensure that no plan reaches a production process.
 */
export function armFailpoints(plan: FailpointPlan): void {
  armed =
    plan.size === 0
      ? undefined
      : new Map([...plan].map(([name, { action, passing }]) => [name, { action, left: passing }]));
}

/** If armed for this pass, the process sends itself the signal; otherwise does nothing. */
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
  // Written before the signal, not by the logger, which would be too late.
  writeSync(2, `failpoint ${name}: ${signal}\n`);
  process.kill(process.pid, signal);
}
