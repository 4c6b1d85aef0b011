import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createHedgeBudget } from './hedge.ts';

describe('the budget of hedges', () => {
  it('sends no more than its share of the reads twice, apart from what was saved', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.array(fc.boolean()), (share, steps) => {
        const budget = createHedgeBudget(share);
        let reads = 0;
        let hedges = 0;
        for (const isSlow of steps) {
          reads++;
          budget.earn();
          if (isSlow && budget.take()) hedges++;
        }
        expect(hedges).toBeLessThanOrEqual(1 + reads * share);
      }),
    );
  });
  it('saves for no more than ten at once, and nothing with a share of none', () => {
    const budget = createHedgeBudget(1);
    for (let i = 0; i < 100; i++) budget.earn();
    expect(Array.from({ length: 20 }, () => budget.take()).filter(Boolean)).toHaveLength(10);
    const none = createHedgeBudget(0);
    none.earn();
    expect(none.take()).toBe(false);
  });
});
