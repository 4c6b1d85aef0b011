export type Sample = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};
export type Family = { readonly type: string; readonly samples: Sample[] };

const sampleLine = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

/** The metrics of Prometheus' text format, by name. @throws Error for a sample without the type of its metric */
export function familiesOf(text: string): ReadonlyMap<string, Family> {
  const families = new Map<string, Family>();
  let current: { readonly name: string; readonly family: Family } | undefined;
  for (const line of text.split('\n')) {
    const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (name !== undefined && type !== undefined) {
      const family: Family = { type, samples: [] };
      families.set(name, family);
      current = { name, family };
    }
    if (line === '' || line.startsWith('#')) continue;
    const [, sample = '', labels = '', value] = sampleLine.exec(line) ?? [];
    if (current === undefined || !sample.startsWith(current.name)) throw new Error(`no metric has the sample: ${line}`);
    current.family.samples.push({ name: sample, labels: labelsOf(labels), value: Number(value) });
  }
  return families;
}

const labelsOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, value]) => [label, value]));
