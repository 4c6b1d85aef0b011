import { describe, expect, it } from '@jest/globals';
import { Histogram, Registry } from 'prom-client';
import { weightedHistogram, weightedHistograms } from './weighted-histogram.ts';

const options = { name: 'waited_seconds', help: 'How long', label: 'stage', buckets: [0.1, 1] };

describe('a weighted histogram', () => {
  it('reads like one of prom-client that has observed each value by itself', async () => {
    const ours = new Registry();
    const { decide } = weightedHistograms(ours, options, ['decide']);
    const theirs = new Registry();
    const usual = new Histogram({
      name: options.name,
      help: options.help,
      labelNames: ['stage'],
      buckets: options.buckets,
      registers: [theirs],
    });
    for (const [value, count] of [
      [0.1, 3],
      [0.5, 1],
      [7, 2],
    ] as const) {
      decide(value, count);
      for (let i = 0; i < count; i++) usual.observe({ stage: 'decide' }, value);
    }
    expect(await ours.metrics()).toBe(await theirs.metrics());
  });

  it('may have no label, and takes what is below 0 for 0, so that its sum never falls', async () => {
    const metrics = new Registry();
    const { label: _label, ...plain } = options;
    const observe = weightedHistogram(metrics, plain);
    observe(2, 2);
    observe(-1);
    const text = await metrics.metrics();
    expect(text).toContain('waited_seconds_bucket{le="0.1"} 1');
    expect(text).toContain('waited_seconds_sum 4');
    expect(text).toContain('waited_seconds_count 3');
  });

  it('has its labels from the start, more of them by a further call, and takes no batch of nothing', async () => {
    const metrics = new Registry();
    const { decide } = weightedHistograms(metrics, options, ['decide']);
    const { publish } = weightedHistograms(metrics, options, ['publish']);
    decide(1, 0);
    decide(Number.NaN);
    publish(2);
    const text = await metrics.metrics();
    expect(text).toContain('waited_seconds_count{stage="decide"} 0');
    expect(text).toContain('waited_seconds_bucket{le="+Inf",stage="publish"} 1');
  });
});
