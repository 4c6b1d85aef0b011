import { describe, expect, it } from '@jest/globals';
import { type JestResult, slowestFiles, sumCounts, summarize } from './summary.ts';

const reportOf = (
  numPassedTests: number,
  numFailedTests: number,
  numRuntimeErrorTestSuites: number,
  testResults: JestResult['testResults'] = [],
): JestResult => ({ numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults });

describe('summarize', () => {
  it('counts tests', () => {
    expect(summarize(reportOf(7, 2, 0), 1)).toEqual({
      passed: 7,
      failed: 2,
    });
  });

  it('counts a suite that could not be run as a failure', () => {
    expect(summarize(reportOf(7, 0, 1), 1)).toEqual({
      passed: 7,
      failed: 1,
    });
  });

  it('never calls a run good that ended badly or left no report', () => {
    expect(summarize(reportOf(7, 0, 0), 1)).toEqual({
      passed: 7,
      failed: 1,
    });
    expect(summarize(null, 0)).toEqual({ passed: 0, failed: 1 });
    expect(summarize(null, null)).toEqual({ passed: 0, failed: 1 });
  });
});

describe('sumCounts', () => {
  it('counts several runs as one, and a run without a report as a failure', () => {
    const good = summarize(reportOf(7, 0, 0), 0);
    const bad = summarize(reportOf(5, 2, 0), 1);
    expect(sumCounts([good, bad])).toEqual({ passed: 12, failed: 2 });
    expect(sumCounts([good, summarize(null, null)])).toEqual({ passed: 7, failed: 1 });
  });
});

describe('slowestFiles', () => {
  it('are those that took longest, the slowest first', () => {
    const files = [3_000, 12_345, 900].map((ms) => ({
      name: `/project/tests/${ms}.test.ts`,
      startTime: 1_000,
      endTime: 1_000 + ms,
    }));
    expect(slowestFiles(reportOf(3, 0, 0, files), '/project', 2)).toEqual([
      '  12.3 s  tests/12345.test.ts',
      '   3.0 s  tests/3000.test.ts',
    ]);
  });
});
