import { globSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runCommand } from '../../packages/cli/src/program.ts';

const root = resolve(import.meta.dirname, '../..');

/** Every Markdown file of the repository, in our folders. */
const documents = ['', 'docs', 'deploy', 'services', 'packages', 'tests', 'bench'].flatMap((folder) =>
  globSync(folder === '' ? '*.md' : `${folder}/**/*.md`, {
    cwd: root,
    exclude: (path) => path.split('/').includes('node_modules'),
  }),
);

const invocation = String.raw`(?:(?:npm run --silent )?indelible|docker compose run --rm cli|packages/cli/src/main\.ts)(?: --(?= ))?`;
const ofLine = new RegExp(String.raw`^(?: {4}|\$ |.*?docker run .*?)?${invocation} (.*)$`);
const ofSentence = new RegExp(String.raw`\`${invocation} ([^\`]+)\``, 'g');

/** Commands as a document has them: a line of a block, or code in a sentence; each with the words that begin it and its options. */
function commandsIn(document: string): string[][] {
  const text = readFileSync(resolve(root, document), 'utf8');
  const lines = text.split('\n').flatMap((line) => ofLine.exec(line)?.[1] ?? []);
  const quoted = [...text.matchAll(ofSentence)].map((match) => match[1] as string);
  return [...lines, ...quoted].map((command) => command.split(/\s+/)).filter(([name]) => /^[a-z]/.test(name ?? ''));
}

const withCommands = documents.filter((document) => commandsIn(document).length > 0);

const helpOf = async (words: readonly string[]): Promise<string> => {
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const code = await runCommand([...words, '--help'], { config: {} as never, out: say, note: say });
  return code === 0 ? said.join('\n') : `no such command: ${words.join(' ')}`;
};

/** The usage of the innermost command named by the words, and its options. */
async function describedBy(words: readonly string[]): Promise<string> {
  const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  // The last of these words may be an argument: a service, a read model.
  const names = words.slice(0, Math.min(end < 0 ? words.length : end, 2));
  const help = await helpOf(names);
  const [usage = ''] = help.split('\n');
  if (!usage.startsWith(`Usage: indelible ${names[0] ?? ''}`)) return help;
  return usage.endsWith('[command]') && names.length > 1 ? `no such command: ${names.join(' ')}` : help;
}

const isOptionIn = (help: string, option: string): boolean =>
  new RegExp(String.raw`^ .*(?<![\w-])${option}(?![\w-])`, 'm').test(help);

describe('the commands that documents name', () => {
  it('are found wherever an operator reads', () => {
    expect(withCommands).toEqual(
      expect.arrayContaining([
        'README.md',
        'CHANGELOG.md',
        'deploy/README.md',
        'docs/doctor.md',
        'docs/events.md',
        'docs/operations.md',
        'docs/rotation.md',
        'docs/runbooks/dead-letters.md',
        'docs/upgrades.md',
      ]),
    );
  });

  it.each(withCommands)('exist, with their options: %s', async (document) => {
    for (const words of commandsIn(document)) {
      const command = words.join(' ');
      const help = await describedBy(words);
      expect([command, help]).toEqual([command, expect.stringMatching(/^Usage: indelible /)]);
      const options = words.flatMap((word) => /^\[?(--[a-z][a-z0-9-]*)/.exec(word)?.[1] ?? []);
      expect([command, options.filter((option) => !isOptionIn(help, option))]).toEqual([command, []]);
    }
  });
});

describe('docs/upgrades.md', () => {
  it('names the migrations that need their service stopped', () => {
    const text = readFileSync(resolve(root, 'docs/upgrades.md'), 'utf8');
    const [, sentence = ''] = /\((`gateway` 0\d{3}[^:]*?) rewrite or lock tables/s.exec(text) ?? [];
    const marked = ['gateway', 'storage', 'stamping'].flatMap((service) => {
      const folder = resolve(root, 'services', service, 'src/migrations');
      const files = readdirSync(folder).filter((name) =>
        /needsStop: true/.test(readFileSync(resolve(folder, name), 'utf8')),
      );
      return files.sort().map((name) => name.slice(0, 4));
    });
    expect(sentence.match(/\d{4}/g)).toEqual(marked);
  });
});
