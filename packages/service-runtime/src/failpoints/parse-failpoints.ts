import { type FailpointName, failpointNames } from './failpoint-names.ts';

/** `kill`: the process dies at once (SIGKILL); `stop`: it pauses until SIGCONT (SIGSTOP). */
export type FailpointAction = 'kill' | 'stop';

/** What happens where, and at which pass. */
export type FailpointPlan = ReadonlyMap<FailpointName, { readonly action: FailpointAction; readonly passing: number }>;

/**
 * Reads `name=action` or `name=action@n`, comma-separated; n counts passes from 1, default 1.
 * @returns the plan, empty for no text; or every fault of the text
 */
export function parseFailpoints(
  text: string | undefined,
): { readonly plan: FailpointPlan } | { readonly faults: readonly string[] } {
  const plan = new Map<FailpointName, { action: FailpointAction; passing: number }>();
  const faults: string[] = [];
  const entries = text === undefined || text.trim() === '' ? [] : text.split(',').map((entry) => entry.trim());
  for (const entry of entries) {
    const found = /^(?<name>[a-z.-]+)=(?<action>kill|stop)(?:@(?<passing>[1-9]\d{0,5}))?$/.exec(entry)?.groups;
    const name = failpointNames.find((one) => one === found?.name);
    if (found === undefined) faults.push(`"${entry}" is not name=kill, name=stop or either with @n`);
    else if (name === undefined) faults.push(`"${found.name}" is no failpoint: they are ${failpointNames.join(', ')}`);
    else if (plan.has(name)) faults.push(`"${name}" is given twice`);
    else plan.set(name, { action: found.action as FailpointAction, passing: Number(found.passing ?? 1) });
  }
  return faults.length > 0 ? { faults } : { plan };
}
