/** From 0 in three to five round steps to at least `most`. */
export function ticksUpTo(most: number): readonly number[] {
  const bound = most > 0 ? most : 1;
  const power = 10 ** Math.floor(Math.log10(bound / 4));
  const step = power * ([1, 2, 2.5, 5, 10].find((factor) => bound / (power * factor) <= 5) ?? 10);
  const steps = Math.ceil(bound / step - 1e-9);
  return Array.from({ length: steps + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}

const scales: Readonly<Record<string, readonly (readonly [from: number, divisor: number, suffix: string])[]>> = {
  s: [
    [60, 60, ' min'],
    [1, 1, ' s'],
    [1e-3, 1e-3, ' ms'],
    [0, 1e-6, ' µs'],
  ],
  bytes: [
    [2 ** 30, 2 ** 30, ' GiB'],
    [2 ** 20, 2 ** 20, ' MiB'],
    [2 ** 10, 2 ** 10, ' KiB'],
    [0, 1, ' B'],
  ],
  percentunit: [[0, 0.01, ' %']],
  ops: [[0, 1, '/s']],
  reqps: [[0, 1, '/s']],
};
const plain = [
  [1e9, 1e9, ' G'],
  [1e6, 1e6, ' M'],
  [1e4, 1e3, ' k'],
  [0, 1, ''],
] as const;

/** A value in one of Grafana's units, as its axis shows it. */
export function formatValue(value: number, unit: string): string {
  if (value === 0) return '0';
  const [, divisor, suffix] = (scales[unit] ?? plain).find(([from]) => value >= from) ?? [0, 1, ''];
  const scaled = value / divisor;
  return `${scaled.toLocaleString('en', { maximumSignificantDigits: 3 })}${suffix}`;
}
