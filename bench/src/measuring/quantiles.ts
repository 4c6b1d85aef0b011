/** The values that a half, nine tenths, and 99 of a hundred do not exceed. */
export type Quantiles = { readonly p50: number; readonly p90: number; readonly p99: number };

/** By nearest rank. @throws RangeError when there is no value */
export function quantilesOf(values: readonly number[]): Quantiles {
  if (values.length === 0) throw new RangeError('no value has no quantiles');
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] as number;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}
