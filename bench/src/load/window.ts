import { setTimeout as delay } from 'node:timers/promises';
import { type Quantiles, quantilesOf } from '../measuring/statistics.ts';
import type { Mark } from '../measuring/use.ts';

export type Duration = { readonly warmUpSeconds: number; readonly seconds: number };
/** Times of `performance.now()`. */
export type Window = { readonly began: number; readonly ended: number };
/** `dueAt` is when it was sent, or was to be. */
export type Timed = { readonly dueAt: number; readonly answeredAt: number };

/** Of the measured seconds; times in milliseconds. */
export type LoadOutcome = {
  readonly stamps: number;
  readonly perSecond: number;
  readonly latencyMs: Quantiles;
  readonly longestMs: number;
};

const firstAnswersWithinMs = 60_000;

/**
 * Warms up, waits for the first answers, and lets the measured seconds pass.
 * @param failed rejects on the first error, which ends the measurement at once
 */
export async function passWindow(
  { warmUpSeconds, seconds }: Duration,
  mark: (place: Mark) => void,
  failed: Promise<unknown>,
  hasFirstAnswers: () => boolean = () => true,
): Promise<Window> {
  const pause = async (ms: number): Promise<void> => void (await Promise.race([delay(ms), failed]));
  await pause(warmUpSeconds * 1_000);
  for (const until = performance.now() + firstAnswersWithinMs; !hasFirstAnswers(); await pause(20))
    if (performance.now() > until) throw new Error('no result: the first answers did not come in time');
  const began = performance.now();
  mark('begin');
  await pause(seconds * 1_000);
  const ended = performance.now();
  mark('end');
  return { began, ended };
}

/** Runs senders in parallel until the measured seconds are over, then waits for what they have begun. */
export async function sendDuring(
  job: Duration,
  mark: (place: Mark) => void,
  senders: number,
  send: (over: AbortSignal) => Promise<void>,
  hasFirstAnswers: () => boolean,
): Promise<Window> {
  const over = new AbortController();
  const sending = Promise.all(Array.from({ length: senders }, () => send(over.signal)));
  sending.catch(() => {});
  try {
    const window = await passWindow(job, mark, sending, hasFirstAnswers);
    over.abort();
    await sending;
    return window;
  } finally {
    over.abort();
  }
}

export const within = <Each extends Timed>(
  all: readonly Each[],
  { began, ended }: Window,
  by: keyof Timed = 'answeredAt',
): Each[] => all.filter((each) => each[by] >= began && each[by] < ended);

/** @throws Error when nothing is in the measured seconds */
export function outcomeOf(measured: readonly Timed[], { began, ended }: Window): LoadOutcome {
  if (measured.length === 0) throw new Error('no result: nothing was answered in the measured seconds');
  const latencies = measured.map(({ dueAt, answeredAt }) => answeredAt - dueAt);
  return {
    stamps: measured.length,
    perSecond: measured.length / ((ended - began) / 1_000),
    latencyMs: quantilesOf(latencies),
    longestMs: latencies.reduce((longest, one) => Math.max(longest, one), 0),
  };
}
