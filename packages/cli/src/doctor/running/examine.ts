import { setTimeout as delay } from 'node:timers/promises';
import type { CheckName } from './check-names.ts';
import { type Check, type Difference, mostAsked, type Survey } from './survey.ts';

export type Found = Pick<Difference, 'subject' | 'what' | 'remedy'>;

export type Finding = {
  readonly check: CheckName;
  /** `not looked`: something was away before the check was through; what it found until then counts. */
  readonly outcome: 'clean' | 'differs' | 'not looked';
  /** How many were looked at, by what they are. */
  readonly looked: readonly { readonly of: string; readonly count: number }[];
  /** All that differ. */
  readonly differences: number;
  /** The first of them. */
  readonly shown: readonly Found[];
  /** What was away, in one line. */
  readonly away?: string;
};

export type ExamineSettings = {
  /** How long after it was found a difference is looked at again. */
  readonly recheckAfterMs: number;
  /** Differences that are told of each check; all are counted. */
  readonly mostShown: number;
  /** One line that says what is away. */
  readonly describe: (error: unknown) => string;
  readonly signal?: AbortSignal;
};

/** After so many differences of one survey nothing is waited for any more: a system in flight has not that many. */
const certainAfter = 10_000;

/**
 * Runs a check. What differs is looked at again when `recheckAfterMs` have passed, and counts when it still does: so
 * what is only on its way is never told of. Memory is bounded by a page and the differences of one second look.
 * @throws the signal's reason; nothing else, since what is away is a finding
 */
export async function examine(check: Check, settings: ExamineSettings): Promise<Finding> {
  const looked: { of: string; count: number }[] = [];
  const shown: Found[] = [];
  let differences = 0;
  const tell = (found: readonly Difference[]): void => {
    differences += found.length;
    for (const { subject, what, remedy } of found.slice(0, settings.mostShown - shown.length))
      shown.push({ subject, what, remedy });
  };
  try {
    await check.prepare();
    for (const survey of check.surveys) {
      const count = { of: survey.of, count: 0 };
      looked.push(count);
      await runSurvey(survey, settings, count, tell);
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
  tell: (found: readonly Difference[]) => void,
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
      tell(found);
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
