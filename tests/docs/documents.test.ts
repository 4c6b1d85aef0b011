import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { topics } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const inFolder = (folder: string, file: string): string[] =>
  readdirSync(join(root, folder))
    .map((name) => join(folder, name, file))
    .filter((path) => existsSync(join(root, path)));

const serviceReadmes = inFolder('services', 'README.md');
const documents = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
  ...serviceReadmes,
  ...inFolder('packages', 'README.md'),
];

describe('the documents', () => {
  it('name only files that are there', () => {
    const missing = documents.flatMap((document) => {
      const text = read(document);
      const quoted = [...text.matchAll(/`((?:services|packages|tests|docs)\/[\w./-]+)`/g)].map(
        (match) => match[1] as string,
      );
      const linked = [...text.matchAll(/\]\(([\w./-]+)\)/g)].map((match) =>
        join(dirname(document), match[1] as string),
      );
      return [...quoted, ...linked]
        .filter((path) => !existsSync(join(root, path)))
        .map((path) => `${document}: ${path}`);
    });
    expect(missing).toEqual([]);
  });

  it('tell of every service what it consumes, publishes and owns', () => {
    expect(serviceReadmes).toHaveLength(readdirSync(join(root, 'services')).length);
    for (const readme of serviceReadmes)
      for (const row of ['consumes', 'publishes', 'owns'])
        expect([readme, read(readme)]).toEqual([readme, expect.stringMatching(new RegExp(`^\\| ${row} +\\|`, 'm'))]);
  });

  it('name only topics that are provisioned', () => {
    const named = documents.flatMap((document) =>
      [...read(document).matchAll(/`((?:commands|events)\.[a-z]+)`/g)].map((match) => match[1]),
    );
    expect(new Set(named)).toEqual(new Set(Object.keys(topics).filter((topic) => named.includes(topic))));
  });
});

describe('the life of a stamp', () => {
  it('has the same step numbers in the document and in the end-to-end test', () => {
    const steps = [...read('docs/life-of-a-stamp.md').matchAll(/^\| (\d+) \| .*`services\//gm)].map((match) =>
      Number(match[1]),
    );
    expect(steps).toEqual(steps.map((_step, i) => i + 1));
    const tested = [...read('tests/e2e/life-of-a-stamp.test.ts').matchAll(/steps? (\d+)(?: to (\d+))?:/g)].flatMap(
      ([, from, to]) => Array.from({ length: Number(to ?? from) - Number(from) + 1 }, (_, i) => Number(from) + i),
    );
    expect(new Set(tested)).toEqual(new Set(steps));
  });
});
