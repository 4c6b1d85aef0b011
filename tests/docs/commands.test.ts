import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runCommand } from '../../packages/cli/src/program.ts';

const root = resolve(import.meta.dirname, '../..');
const documents = ['README.md', 'deploy/README.md', 'docs/backup.md', 'docs/operations.md', 'docs/upgrades.md'];

/** Commands as a document has them: a line of a block, or code in a sentence; each with the words that begin it and its options. */
const commandsIn = (document: string) => {
  const text = readFileSync(resolve(root, document), 'utf8');
  const lines = text
    .split('\n')
    .flatMap((line) => /^(?: {4})?(?:npm run --silent )?indelible (.*)$/.exec(line)?.[1] ?? []);
  const quoted = [...text.matchAll(/`(?:npm run --silent )?indelible ([^`]+)`/g)].map((match) => match[1] as string);
  const commands = [...lines, ...quoted].map((command) => command.replace(/^-- /, '').split(/\s+/));
  return commands.filter(([name]) => /^[a-z]/.test(name ?? ''));
};

const helpOf = async (words: readonly string[]): Promise<string> => {
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const code = await runCommand([...words, '--help'], { config: {} as never, out: say, note: say });
  return code === 0 ? said.join('\n') : `no such command: ${words.join(' ')}`;
};

describe('the commands that documents name', () => {
  it.each(documents)('exist, with their options: %s', async (document) => {
    const commands = commandsIn(document);
    expect(commands.length).toBeGreaterThan(3);
    for (const words of commands) {
      const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
      // The last of these words may be an argument: a service, a read model.
      const names = words.slice(0, Math.min(end < 0 ? words.length : end, 2));
      const help = await helpOf(names);
      expect(help).toMatch(new RegExp(`^Usage: indelible ${names[0] ?? ''}`));
      for (const option of words.filter((word) => word.startsWith('--') && word !== '--'))
        expect([words.join(' '), help]).toEqual([words.join(' '), expect.stringContaining(option)]);
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
