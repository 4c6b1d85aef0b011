import { describe, expect, it } from '@jest/globals';
import { drawLineChart, type LineChart, niceTicks } from './line-chart.ts';

const chart: LineChart = {
  title: 'Stamps & <time>',
  xLabel: 'stamps recorded before',
  yLabel: 'latency "p50", ms',
  lines: [
    {
      name: 'a < b',
      points: [
        { x: 10_000, y: 900, least: 850, most: 1_000 },
        { x: 100, y: 100, least: 90, most: 110 },
        { x: 1_000, y: 500, least: 500, most: 500 },
      ],
    },
    { name: 'other', points: [{ x: 100, y: 0, least: 0, most: 0 }] },
  ],
};

/** Every element is closed, in order. */
function expectWellFormed(svg: string): void {
  const open: string[] = [];
  let left = svg;
  for (const [tag, closes, name, isEmpty] of svg.matchAll(
    /<(\/?)([a-z]+)(?:\s+[a-zA-Z-]+(?::[a-z]+)?="[^"<>]*")*\s*(\/?)>/g,
  )) {
    left = left.replace(tag, '');
    if (closes === '/') expect(open.pop()).toBe(name);
    else if (isEmpty !== '/') open.push(name as string);
  }
  expect(open).toEqual([]);
  expect(left).not.toMatch(/[<>]/);
  expect(left.replace(/&(amp|lt|gt|quot);/g, '')).not.toContain('&');
}

describe('a line chart', () => {
  it('is well-formed, whatever its texts hold', () => {
    const svg = drawLineChart(chart);
    expectWellFormed(svg);
    expect(svg).toContain('<title>Stamps &amp; &lt;time&gt;</title>');
    expect(svg).toContain('>a &lt; b</text>');
    expect(svg).toContain('latency &quot;p50&quot;, ms');
  });

  it('spreads x by its logarithm and draws y from 0 up, points in the order of x', () => {
    const svg = drawLineChart(chart);
    const [first, second, third] = [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => ({
      x: Number(x),
      y: Number(y),
    }));
    if (first === undefined || second === undefined || third === undefined) throw new Error('points are missing');
    expect(third.x - second.x).toBeCloseTo(second.x - first.x, 0);
    // As 100, 500 and 900.
    expect(first.y - second.y).toBeCloseTo(second.y - third.y, 0);
  });

  it('has a place for none, before one', () => {
    const points = [0, 1, 3].map((x) => ({ x, y: 1, least: 1, most: 1 }));
    const svg = drawLineChart({ ...chart, lines: [{ name: 'from none', points }] });
    expectWellFormed(svg);
    const [none, one, three] = [...svg.matchAll(/<circle cx="([\d.]+)"/g)].map(([, x]) => Number(x));
    if (none === undefined || one === undefined || three === undefined) throw new Error('points are missing');
    expect(three - one).toBeCloseTo(one - none, 0);
  });

  it('marks each x that was measured, and round values of y', () => {
    const svg = drawLineChart(chart);
    for (const tick of ['100', '1,000', '10,000', '0', '200', '400', '600', '800'])
      expect(svg).toContain(`>${tick}</text>`);
  });

  it('is not drawn without a point, or below none', () => {
    expect(() => drawLineChart({ ...chart, lines: [] })).toThrow(RangeError);
    const lines = [{ name: 'less than none', points: [{ x: -1, y: 1, least: 1, most: 1 }] }];
    expect(() => drawLineChart({ ...chart, lines })).toThrow(RangeError);
  });

  it.each([
    [0, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [7, [0, 1, 2, 3, 4, 5, 6, 7]],
    [0.3, [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]],
    [1_234, [0, 200, 400, 600, 800, 1_000, 1_200, 1_400]],
  ])('has few round ticks that reach %d', (most, ticks) => {
    expect(niceTicks(most)).toEqual(ticks);
  });
});
