import { describe, expect, it } from '@jest/globals';
import { sumCounts, summarize } from './summary.ts';

describe('summarize', () => {
  it('counts tests', () => {
    expect(summarize({ numPassedTests: 7, numFailedTests: 2, numRuntimeErrorTestSuites: 0 }, 1)).toEqual({
      passed: 7,
      failed: 2,
    });
  });

  it('counts a suite that could not be run as a failure', () => {
    expect(summarize({ numPassedTests: 7, numFailedTests: 0, numRuntimeErrorTestSuites: 1 }, 1)).toEqual({
      passed: 7,
      failed: 1,
    });
  });

  it('never calls a run good that ended badly or left no report', () => {
    expect(summarize({ numPassedTests: 7, numFailedTests: 0, numRuntimeErrorTestSuites: 0 }, 1)).toEqual({
      passed: 7,
      failed: 1,
    });
    expect(summarize(null, 0)).toEqual({ passed: 0, failed: 1 });
    expect(summarize(null, null)).toEqual({ passed: 0, failed: 1 });
  });
});

describe('sumCounts', () => {
  it('counts several runs as one, and a run without a report as a failure', () => {
    const good = summarize({ numPassedTests: 7, numFailedTests: 0, numRuntimeErrorTestSuites: 0 }, 0);
    const bad = summarize({ numPassedTests: 5, numFailedTests: 2, numRuntimeErrorTestSuites: 0 }, 1);
    expect(sumCounts([good, bad])).toEqual({ passed: 12, failed: 2 });
    expect(sumCounts([good, summarize(null, null)])).toEqual({ passed: 7, failed: 1 });
  });
});
