/** The licence fields of a part in a CycloneDX list. */
export type Part = {
  readonly name: string;
  readonly group?: string | undefined;
  readonly version?: string;
  readonly licenses?: readonly {
    readonly expression?: string;
    readonly license?: { readonly id?: string; readonly name?: string };
  }[];
};

/** Licences that allow distribution with a product under Apache-2.0, with nothing to publish. */
const allowed: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Python-2.0',
  'Unlicense',
]);

/** Parts whose licence no tool finds in the package; each was read in the part's LICENSE file. */
const read: Readonly<Record<string, string>> = {
  '@kafkajs/confluent-schema-registry': 'MIT',
  buildcheck: 'MIT',
  busboy: 'MIT',
  'cpu-features': 'MIT',
  memorystream: 'MIT',
  ssh2: 'MIT',
  streamsearch: 'MIT',
};

/** The parts whose licence is not allowed or unknown. Packages of the workspace have the product's. */
export const partsNotAllowed = (parts: readonly Part[]): readonly string[] =>
  parts
    .filter((part) => part.group !== '@indelible' && !licencesOf(part).some(isAllowed))
    .map((part) => `${nameOf(part)}: ${licencesOf(part).join(', ') || 'no licence given'}`);

/** With "OR" one of several has to be allowed, with "AND" all. */
function isAllowed(expression: string): boolean {
  const plain = expression.replaceAll(/[()]/g, '');
  return plain.split(' OR ').some((choice) => choice.split(' AND ').every((one) => allowed.has(one.trim())));
}

function licencesOf({ group, name, licenses = [] }: Part): readonly string[] {
  const each = licenses.flatMap(({ expression, license }) => expression ?? license?.id ?? license?.name ?? []);
  // Several without an expression all hold.
  if (each.length > 1) return [each.join(' AND ')];
  const known = read[fullName({ group, name })];
  return each.length === 0 && known !== undefined ? [known] : each;
}

const fullName = ({ group, name }: { readonly group: string | undefined; readonly name: string }): string =>
  group === undefined ? name : `${group}/${name}`;

const nameOf = ({ group, name, version }: Part): string => `${fullName({ group, name })}@${version ?? 'unknown'}`;
