import { relative } from 'node:path';

/** The part of jest's JSON report that is counted. */
export interface JestResult {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
  /** Of each file its path and when it ran, in ms. */
  readonly testResults: readonly { readonly name: string; readonly startTime: number; readonly endTime: number }[];
}

export type Counts = { readonly passed: number; readonly failed: number };

/**
 * Counts tests; a suite that could not be run counts as one failed test, and so does a run that ended badly without any failure
 * in its report (or without a report).
 */
export function summarize(result: JestResult | null, exitCode: number | null): Counts {
  if (result === null) return { passed: 0, failed: 1 };
  const passed = result.numPassedTests;
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  return { passed, failed: failed === 0 && exitCode !== 0 ? 1 : failed };
}

/** The counts of several runs as one. */
export const sumCounts = (counts: readonly Counts[]): Counts => ({
  passed: counts.reduce((sum, { passed }) => sum + passed, 0),
  failed: counts.reduce((sum, { failed }) => sum + failed, 0),
});

/** A line for each of the files that took longest, with its seconds and its path from `root`; the slowest first. */
export const slowestFiles = ({ testResults }: JestResult, root: string, count: number): string[] =>
  testResults
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1_000 }))
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, count)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${relative(root, name)}`);
