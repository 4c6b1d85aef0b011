import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { copiedPaths, readDockerignore } from '../src/docker-context.ts';

const root = resolve(import.meta.dirname, '../../..');
const read = (path: string): Promise<string> => readFile(resolve(root, path), 'utf8');

describe('the context of a Docker build', () => {
  it.each([
    ['**\n!a', 'a/b', true],
    ['**\n!a', 'b/a', false],
    ['**\n!a/b.json', 'a/b.json', true],
    ['**\n!a\n**/tests', 'a/tests/x.ts', false],
    ['**\n!a\n**/*.test.ts', 'a/x.test.ts', false],
    ['*.md', 'a/b.md', true],
    ['*.md', 'b.md', false],
    ['# a\n\n/a/\n', 'a/b', false],
    ['a?c', 'abc', false],
    ['a.c', 'abc', true],
  ])('by %j has %s: %s', (ignore, path, expected) => {
    expect(readDockerignore(ignore).includes(path)).toBe(expected);
  });

  it('is what COPY takes from it, and nothing of another stage', () => {
    const dockerfile = 'FROM x\nCOPY a b \\\n  c/\nCOPY --from=0 /y /z\nADD --chown=1:1 d e\n';
    expect(copiedPaths(dockerfile)).toEqual(['a', 'b', 'd']);
  });
});

type Member = { readonly folder: string; readonly name: string; readonly dependencies: readonly string[] };

/** The members of the workspace that the Dockerfile installs: every service, the command line, and what those depend on. */
async function installed(): Promise<readonly Member[]> {
  const filters = [...(await read('deploy/Dockerfile')).matchAll(/--filter-prod '([^']+)'/g)].map(
    ([, filter]) => filter,
  );
  expect(filters).toEqual(['{./services/*}...', '@indelible/cli...']);
  const { stdout } = await promisify(execFile)('git', ['ls-files', '*/*/package.json'], { cwd: root });
  const members = await Promise.all(
    stdout
      .trim()
      .split('\n')
      .map(async (path): Promise<Member> => {
        const { name, dependencies = {} } = JSON.parse(await read(path)) as {
          name: string;
          dependencies?: Record<string, string>;
        };
        return { folder: dirname(path), name, dependencies: Object.keys(dependencies) };
      }),
  );
  const found = new Set(
    members.filter(({ folder, name }) => folder.startsWith('services/') || name === '@indelible/cli'),
  );
  for (const member of found)
    for (const name of member.dependencies) {
      const dependency = members.find((other) => other.name === name);
      if (dependency !== undefined) found.add(dependency);
    }
  return [...found];
}

describe('the image', () => {
  it('copies nothing that .dockerignore keeps out, and has every file of the packages and services', async () => {
    const ignore = readDockerignore(await read('.dockerignore'));
    const { stdout } = await promisify(execFile)('git', ['ls-files'], { cwd: root, maxBuffer: 16_000_000 });
    const context = stdout
      .trim()
      .split('\n')
      .filter((path) => ignore.includes(path));
    for (const source of copiedPaths(await read('deploy/Dockerfile'))) {
      const found = context.filter((path) => path === source || path.startsWith(`${source}/`));
      expect([source, found.length > 0]).toEqual([source, true]);
    }
    expect(context).toContain('services/gateway/src/main.ts');
    expect(context.filter((path) => path.startsWith('.local') || path.includes('/tests/'))).toEqual([]);
    const packagesWithSources = new Set(
      context.flatMap((path) => /^((?:packages|services)\/[^/]+)\/src\//.exec(path)?.[1] ?? []),
    );
    const folders = (await installed()).map(({ folder }) => folder);
    expect(folders.filter((folder) => !packagesWithSources.has(folder))).toEqual([]);
    for (const folder of ['packages/launcher', 'packages/testing'])
      expect([folder, packagesWithSources.has(folder)]).toEqual([folder, false]);
  });

  it('copies the package.json of every member of the workspace: without one of them the lockfile does not match', async () => {
    const ignore = readDockerignore(await read('.dockerignore'));
    const members = (await promisify(execFile)('git', ['ls-files', '**/package.json'], { cwd: root })).stdout
      .trim()
      .split('\n');
    expect(members.length).toBeGreaterThan(20);
    expect(members.filter((path) => !ignore.includes(path))).toEqual([]);
  });

  it('has no package that only development wants', async () => {
    const external = (await installed()).flatMap(({ dependencies }) => dependencies);
    expect(external).toContain('kafkajs');
    const development = /postgres-|embedded|foundry|anvil|solc|testcontainers|jest|typescript|swc|biome/;
    expect(external.filter((name) => development.test(name))).toEqual([]);
  });

  it('names its user by number, which is not root', async () => {
    const users = [...(await read('deploy/Dockerfile')).matchAll(/^USER (.+)$/gm)].map(([, user]) => user);
    expect(users.at(-1)).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });
});
