import { publicTopicProvisioning } from '@indelible/public-events/settings';
import { allOf, sharedSettings, type Variable } from '@indelible/service-runtime';
import { serviceNames } from '../provisioning.ts';
import { everySetting } from '../settings.ts';
import { describeSettings } from './service-settings.ts';

/** A variable and its readers; each may have its own default. */
type Row = {
  readonly variable: Variable;
  readonly readers: readonly string[];
  readonly defaults: ReadonlyMap<string, readonly string[]>;
};

const intro = `# Configuration

Every variable of the services and of the command line. Written by \`indelible config --markdown\`; \`npm run verify\` checks that it is current.

- Each may be given as a file instead: \`NAME_FILE\` names it, and its content counts, without the newline at its end. Both at once are a fault.
- An empty variable counts as one that is not given.
- A service whose settings are invalid reports every fault at once and ends with exit code 78. \`indelible config --check SERVICE\` reads the environment as the
  service would, and prints the faults, or what the settings are in effect.
- Names that begin with \`INDELIBLE_\` and mean nothing are refused, with the nearest name that does.
- *Secret*: the value, or its part, is in no log. The line \`starting\` of each service holds its other settings.
`;

/** The document of all settings, as Markdown. */
export async function settingsPage(): Promise<string> {
  const described = await Promise.all(
    serviceNames.map(async (name) => [name as string, await describeSettings(name)] as const),
  );
  const rows = rowsOf([
    ...described,
    ['command line', everySetting.variables],
    ['npm start', allOf(publicTopicProvisioning).variables],
  ]);
  const sections: [string, readonly Row[]][] = [];
  const left = new Map(rows.map((row) => [row.variable.name, row]));
  const take = (names: readonly string[]): Row[] =>
    names.flatMap((name) => {
      const row = left.get(name);
      left.delete(name);
      return row === undefined ? [] : [row];
    });
  for (const [title, group] of Object.entries(sharedSettings))
    sections.push([title, take(group.variables.map(({ name }) => name))]);
  const several = [...left.values()].filter(({ readers }) => readers.length > 1);
  sections.push(['Other settings of several', take(several.map(({ variable }) => variable.name))]);
  for (const reader of [...serviceNames, 'command line', 'npm start']) {
    const own = [...left.values()].filter(({ readers }) => readers[0] === reader);
    sections.push([`Of ${reader} alone`, take(own.map(({ variable }) => variable.name))]);
  }
  const texts = sections.filter(([, of]) => of.length > 0).map(([title, of]) => sectionOf(title, of));
  return `${[intro, ...texts].join('\n')}`;
}

function rowsOf(described: readonly (readonly [string, readonly Variable[]])[]): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const [reader, variables] of described)
    for (const variable of variables) {
      const known = rows.get(variable.name);
      const usual = defaultOf(variable);
      rows.set(variable.name, {
        variable: known?.variable ?? variable,
        readers: [...(known?.readers ?? []), reader],
        defaults: new Map(known?.defaults).set(usual, [...(known?.defaults.get(usual) ?? []), reader]),
      });
    }
  return [...rows.values()];
}

function defaultOf({ default: usual, required, when }: Variable): string {
  if (required) return when.length === 0 ? '**required**' : `required with ${codes(when)}`;
  if (usual === undefined) return '–';
  return usual === '' ? 'empty' : /^[\w.:/-]+$/.test(usual) ? `\`${usual}\`` : usual;
}

const secrets = { none: '', whole: 'yes', credentials: 'in the URL', path: 'in the URLs' } as const;

function sectionOf(title: string, rows: readonly Row[]): string {
  const lines = rows.map(({ variable, readers, defaults }) =>
    [
      `\`${variable.name}\``,
      variable.meaning,
      variable.unit === undefined ? variable.values : `${variable.values} (${variable.unit})`,
      defaults.size === 1
        ? [...defaults.keys()].join()
        : [...defaults].map(([usual, of]) => `${usual} (${of.join(', ')})`).join('; '),
      readers.length === serviceNames.length + 1 ? 'all' : readers.join(', '),
      secrets[variable.secrecy],
    ].map((cell) => cell.replaceAll('|', '\\|')),
  );
  return `## ${title}

| variable | meaning | values | default | read by | secret |
|---|---|---|---|---|---|
${lines.map((cells) => `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`).join('\n')}
`;
}

const codes = (texts: readonly string[]): string => texts.map((one) => `\`${one}\``).join(', ');
