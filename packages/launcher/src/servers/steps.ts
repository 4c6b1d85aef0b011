import type { OnStep } from './parts.ts';

/** What a step reports when it is done. */
export interface Outcome<T> {
  readonly value: T;
  readonly detail: string;
}

/** Runs `work` as one step of progress: reports its start, then its end with the seconds between. Errors pass through. */
export async function runStep<T>(onStep: OnStep, name: string, work: () => Promise<Outcome<T>>): Promise<T> {
  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 100) / 10;
  onStep({ name, state: 'started', seconds: 0, detail: '' });
  try {
    const { value, detail } = await work();
    onStep({ name, state: 'done', seconds: seconds(), detail });
    return value;
  } catch (error) {
    onStep({
      name,
      state: 'failed',
      seconds: seconds(),
      detail: error instanceof Error ? error.message : String(error),
    });
    throw error;
  }
}
