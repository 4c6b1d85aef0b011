import type { Metric, Registry } from 'prom-client';

/** Adds so many observations of one value: of a batch at once, without a look-up of labels. */
export type Observe = (value: number, count?: number) => void;

/** A series of a histogram: how many observations came into each bucket, the last for those above all bounds. */
class Series {
  readonly counts: number[];
  sum = 0;
  readonly #bounds: readonly number[];

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  /** Below 0 (clocks differ) it counts as 0: a sum never falls. */
  readonly observe: Observe = (value, count = 1) => {
    if (count <= 0 || !Number.isFinite(value)) return;
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] as number)) bucket++;
    this.counts[bucket] = (this.counts[bucket] as number) + count;
    this.sum += Math.max(0, value) * count;
  };
}

type Value = { readonly metricName: string; readonly labels: Record<string, string | number>; readonly value: number };

/**
 * A histogram without labels, or with one whose values are known beforehand, for prom-client's registry. Observes
 * batches at once, which prom-client's own cannot: it would cost as much per stamp as all other bookkeeping.
 */
class WeightedHistogram {
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Series>();

  constructor(options: WeightedHistogramOptions) {
    this.name = options.name;
    this.help = options.help;
    this.labelNames = options.label === undefined ? [] : [options.label];
    this.#bounds = options.buckets;
  }

  of(label: string): Observe {
    const series = this.#series.get(label) ?? new Series(this.#bounds);
    this.#series.set(label, series);
    return series.observe;
  }

  reset(): void {
    this.#series.clear();
  }

  async get() {
    const { name, help, type, aggregator } = this;
    return { name, help, type, aggregator, values: [...this.#series].flatMap((series) => this.#valuesOf(...series)) };
  }

  #valuesOf(label: string, { counts, sum }: Series): Value[] {
    const labels = Object.fromEntries(this.labelNames.map((name) => [name, label]));
    let below = 0;
    const buckets = counts.map((count, i) => {
      below += count;
      return { metricName: `${this.name}_bucket`, labels: { le: this.#bounds[i] ?? '+Inf', ...labels }, value: below };
    });
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: below },
    ];
  }
}

type WeightedHistogramOptions = {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  readonly buckets: readonly number[];
};

/** A histogram without labels. */
export const weightedHistogram = (metrics: Registry, options: Omit<WeightedHistogramOptions, 'label'>): Observe =>
  weightedHistograms(metrics, options, ['all']).all;

/** The series of these labels, of a histogram that is made by the first call for its registry. */
export function weightedHistograms<Label extends string>(
  metrics: Registry,
  options: WeightedHistogramOptions,
  labels: readonly Label[],
): Readonly<Record<Label, Observe>> {
  let histogram = metrics.getSingleMetric(options.name) as unknown as WeightedHistogram | undefined;
  if (histogram === undefined) {
    histogram = new WeightedHistogram(options);
    metrics.registerMetric(histogram as unknown as Metric);
  }
  return Object.fromEntries(labels.map((label) => [label, histogram.of(label)])) as Record<Label, Observe>;
}
