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
