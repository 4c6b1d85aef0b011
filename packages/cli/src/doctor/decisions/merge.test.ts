import { describe, expect, it } from '@jest/globals';
import { merge } from './merge.ts';

async function* of(...numbers: number[]): AsyncGenerator<number> {
  yield* numbers;
}
const walk = async (left: number[], right: number[]): Promise<string[]> => {
  const steps: string[] = [];
  for await (const step of merge(of(...left), right, (a, b) => a - b))
    steps.push(`${step.left ?? '-'}:${step.right ?? '-'}`);
  return steps;
};

describe('two ascending sequences side by side', () => {
  it('meet where both have an item, and stand alone where one has none', async () => {
    expect(await walk([1, 2, 4, 7], [2, 3, 4])).toEqual(['1:-', '2:2', '-:3', '4:4', '7:-']);
  });

  it('may both repeat a place: surplus items stand alone', async () => {
    expect(await walk([2, 2], [2])).toEqual(['2:2', '2:-']);
    expect(await walk([2], [2, 2])).toEqual(['2:2', '-:2']);
  });

  it('may be empty', async () => {
    expect(await walk([], [])).toEqual([]);
    expect(await walk([], [1])).toEqual(['-:1']);
    expect(await walk([1], [])).toEqual(['1:-']);
  });

  it('are closed when the walk is left early', async () => {
    let closed = 0;
    async function* watched(): AsyncGenerator<number> {
      try {
        yield* [1, 2, 3];
      } finally {
        closed++;
      }
    }
    for await (const _step of merge(watched(), watched(), (a, b) => a - b)) break;
    expect(closed).toBe(2);
  });
});
