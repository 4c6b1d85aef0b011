import { setTimeout as delay } from 'node:timers/promises';
import type { CheckName } from './check-names.ts';
import { type Check, type Difference, mostAsked, type Survey } from './survey.ts';

export type Found = Pick<Difference, 'subject' | 'what' | 'remedy'>;

export type Finding = {
  readonly check: CheckName;
  /** `not looked`: something became unavailable before the check ended; what it had found until then counts. */
  readonly outcome: 'clean' | 'differs' | 'not looked';
  /** How many were checked, by kind. */
  readonly looked: readonly { readonly of: string; readonly count: number }[];
  /** All that differ. */
  readonly differences: number;
  /** The first of them. */
  readonly shown: readonly Found[];
  /** What was unavailable, in one line. */
  readonly away?: string;
};

export type ExamineSettings = {
  /** How long after it is found a difference is checked again. */
  readonly recheckAfterMs: number;
  /** Differences of each check that are reported; all are counted. */
  readonly mostShown: number;
  /** One line that says what is unavailable. */
  readonly describe: (error: unknown) => string;
  readonly signal?: AbortSignal;
};

/** After so many differences of one survey it no longer waits: data in flight is never that much. */
const certainAfter = 10_000;

/**
 * Runs a check. What differs is checked again after `recheckAfterMs`, and counts if it still does, so data in flight is
 * never reported. Memory is bounded by a page and the differences of one second check.
 * @throws the signal's reason; nothing else, since something unavailable is a finding
 */
export async function examine(check: Check, settings: ExamineSettings): Promise<Finding> {
  const looked: { of: string; count: number }[] = [];
  const shown: Found[] = [];
  let differences = 0;
  const report = (found: readonly Difference[]): void => {
    differences += found.length;
    for (const { subject, what, remedy } of found.slice(0, settings.mostShown - shown.length))
      shown.push({ subject, what, remedy });
  };
  try {
    await check.prepare();
    for (const survey of check.surveys) {
      const count = { of: survey.of, count: 0 };
      looked.push(count);
      await runSurvey(survey, settings, count, report);
    }
  } catch (error) {
    settings.signal?.throwIfAborted();
    return { check: check.name, outcome: 'not looked', looked, differences, shown, away: settings.describe(error) };
  }
  return { check: check.name, outcome: differences === 0 ? 'clean' : 'differs', looked, differences, shown };
}

async function runSurvey(
  survey: Survey,
  { recheckAfterMs, signal }: ExamineSettings,
  seen: { count: number },
  report: (found: readonly Difference[]) => void,
): Promise<void> {
  const suspected = new Set<string>();
  let certain = 0;
  const lookAgain = async (): Promise<void> => {
    if (suspected.size === 0) return;
    if (certain < certainAfter) await delay(recheckAfterMs, undefined, signal === undefined ? {} : { signal });
    const keys = [...suspected];
    suspected.clear();
    for (let at = 0; at < keys.length; at += mostAsked) {
      const found = await survey.again(keys.slice(at, at + mostAsked));
      certain += found.length;
      report(found);
    }
  };
  for await (const { looked, differences } of survey.all()) {
    signal?.throwIfAborted();
    seen.count += looked;
    for (const { key } of differences) suspected.add(key);
    if (suspected.size >= mostAsked) await lookAgain();
  }
  await lookAgain();
}
