import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { tableOf } from '../src/reporting/table.ts';
import { scenarios } from '../src/scenarios.ts';
import type { System } from '../src/system/start-system.ts';
import { startTestSystem } from './test-system.ts';

jest.setTimeout(180_000);

let system: System;
beforeAll(async () => {
  system = await startTestSystem();
});
afterAll(async () => {
  await system?.stop();
});

describe('npm run bench -- --quick', () => {
  it.each(scenarios)(
    '$name: it runs, its answers are right, and each of its rows has a value of each round',
    async (scenario) => {
      const rows = await scenario.run({
        ...{ quick: true, large: false },
        progress: () => {},
        startSystem: async () => system,
        signal: new AbortController().signal,
      });
      expect(rows.length).toBeGreaterThan(0);
      for (const { what, rounds, baseline } of rows) {
        expect([what, rounds]).toEqual([what, [expect.any(Number)]]);
        expect([what, rounds.every(Number.isFinite)]).toEqual([what, true]);
        if (baseline !== undefined) expect(baseline.rounds).toHaveLength(rounds.length);
      }
      expect(tableOf(scenario.name, rows).split('\n')).toHaveLength(rows.length + 2);
    },
  );
});
