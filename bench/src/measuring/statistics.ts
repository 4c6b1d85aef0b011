/** Of an even number of values the mean of the middle two. @throws RangeError when there is none */
export function medianOf(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('no values');
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** The median of the rounds' own ratios: what slowed one round slowed both. Undefined when the rounds do not pair. */
export function medianRatio(values: readonly number[], baseline: readonly number[]): number | undefined {
  if (values.length === 0 || values.length !== baseline.length) return undefined;
  return medianOf(values.map((value, round) => value / (baseline[round] as number)));
}

export type Quantiles = { readonly p50: number; readonly p99: number };

/** By nearest rank. @throws RangeError when there is no value */
export function quantilesOf(values: readonly number[]): Quantiles {
  if (values.length === 0) throw new RangeError('no value has no quantiles');
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] as number;
  return { p50: at(0.5), p99: at(0.99) };
}
