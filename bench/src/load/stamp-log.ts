import { setTimeout as delay } from 'node:timers/promises';
import type { Acknowledged } from './stamp-request.ts';

/** Longer than a service lets a request wait before it answers that it goes on. */
const lastAnswerWithinMs = 45_000;
const lookMs = 20;

export type StampLog = ReturnType<typeof createStampLog>;

/** What was sent and what came back. Anything but a 201 for each is a fault of the run. */
export function createStampLog() {
  const acknowledged: Acknowledged[] = [];
  const others = new Map<number, { count: number; readonly first: string }>();
  let underWay = 0;
  let breaks = 0;
  let firstBreak: Error | undefined;
  const faultsIn = (): string => {
    const faults = [...others].map(([status, { count, first }]) => ` ${count} × ${status} (${first})`);
    if (breaks > 0) faults.push(` ${breaks} connections that broke (${firstBreak?.message})`);
    if (underWay > 0) faults.push(` ${underWay} without an answer`);
    return faults.join(',');
  };
  return {
    sent(): void {
      underWay++;
    },
    answered(cid: string, dueAt: number, status: number, body: string): void {
      underWay--;
      if (status === 201) {
        acknowledged.push({ cid, dueAt, answeredAt: performance.now(), body });
        return;
      }
      const seen = others.get(status);
      if (seen === undefined) others.set(status, { count: 1, first: body.slice(0, 500) });
      else seen.count++;
    },
    broken(fault: Error): void {
      breaks++;
      firstBreak ??= fault;
    },
    /** @throws Error when there are not so many answers in time, or when one was not a 201 */
    async untilAnswered(count: number): Promise<void> {
      const deadline = performance.now() + lastAnswerWithinMs;
      while (acknowledged.length < count) {
        const isLate = performance.now() > deadline;
        if (isLate || others.size > 0 || breaks > 0)
          throw new Error(`no result: ${acknowledged.length} × 201 where ${count} were to come${faultsIn()}`);
        await delay(lookMs);
      }
    },
    /**
     * Waits for what is under way.
     * @throws Error that counts what was not answered 201, by status, and the connections that broke
     */
    async allAnswered(): Promise<readonly Acknowledged[]> {
      const deadline = performance.now() + lastAnswerWithinMs;
      while (underWay > 0 && breaks === 0 && performance.now() < deadline) await delay(lookMs);
      if (others.size > 0 || breaks > 0 || underWay > 0)
        throw new Error(`no result: beside ${acknowledged.length} × 201 there were${faultsIn()}`);
      return acknowledged;
    },
  };
}
