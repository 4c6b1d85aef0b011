import type { Finding } from './examine.ts';

/** 0: everything was checked, nothing differs. 1: something differs. 2: nothing differs in what could be checked. */
export type Verdict = 0 | 1 | 2;

export function verdictOf(findings: readonly Finding[]): Verdict {
  if (findings.some((finding) => finding.differences > 0)) return 1;
  return findings.some((finding) => finding.outcome === 'not looked') ? 2 : 0;
}

/** The report of one check: a line for it, and one per shown difference. */
export function linesOf(finding: Finding): readonly string[] {
  const { check, differences, shown, away } = finding;
  // Zeros of a check that did not end say nothing.
  const looked = finding.looked.filter(({ count }) => count > 0 || away === undefined);
  const facts = [
    ...(differences > 0 ? [countText(differences)] : []),
    ...(looked.length > 0 ? [`looked at ${looked.map(({ of, count }) => `${count} ${of}`).join(', ')}`] : []),
  ];
  const rest = differences - shown.length;
  return [
    `${headOf(finding)} ${[check, ...(facts.length > 0 ? [facts.join('; ')] : [])].join(': ')}`,
    ...(away === undefined ? [] : [`    could not look any further: ${away}`]),
    ...shown.map(({ subject, what, remedy }) => `    ${subject}: ${what} → ${remedy}`),
    ...(rest > 0 ? [`    and ${rest} more`] : []),
  ];
}

const headOf = ({ outcome, differences }: Finding): string =>
  differences > 0 ? '✗' : outcome === 'not looked' ? '?' : '✓';

/** The last line. */
export function summaryOf(findings: readonly Finding[]): string {
  const count = findings.reduce((sum, finding) => sum + finding.differences, 0);
  const unseen = findings.filter((finding) => finding.outcome === 'not looked').map((finding) => finding.check);
  const all = count === 0 ? 'nothing differs' : countText(count);
  return unseen.length === 0 ? all : `${all}; could not look at all of ${unseen.join(', ')}`;
}

const countText = (differences: number): string => `${differences} ${differences === 1 ? 'differs' : 'differ'}`;
