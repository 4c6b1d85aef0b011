import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { serviceNames } from '@indelible/launcher';
import { topics } from '@indelible/messages';
import { publicTopicDefaults, publicTopicOf } from '@indelible/public-events';
import { describe, expect, it } from '@jest/globals';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(resolve(root, path), 'utf8');
const chart = (path: string): string => read(`deploy/helm/indelible/${path}`);

describe('the chart', () => {
  it('creates the topics that are provisioned, with their partitions and retention (I8)', () => {
    const rows = [
      ...chart('files/topics.yaml').matchAll(
        /^- \{ name: (\S+), partitions: (\d+), retentionMs: '(-?\d+)'(, public: true)? \}$/gm,
      ),
    ].map(([, name, partitions, retentionMs, isPublic]) => [
      name,
      Number(partitions),
      Number(retentionMs),
      isPublic !== undefined,
    ]);
    const { prefix, partitions, retentionMs } = publicTopicDefaults;
    const wanted = [
      ...Object.entries(topics).map(([name, topic]) => [name, topic.partitions, topic.retentionMs, false]),
      [publicTopicOf(prefix), partitions, retentionMs, true],
    ];
    expect(rows.toSorted()).toEqual(wanted.toSorted());
  });

  it('lets each service read and write the topics of its README, and no other', () => {
    const access = chart('files/kafka-access.yaml');
    for (const name of serviceNames) {
      const block = new RegExp(`^${name}:\\n((?: .*\\n)+)`, 'm').exec(access)?.[1] ?? '';
      const readme = read(`services/${name}/README.md`);
      for (const [row, key] of [
        ['consumes', 'reads'],
        ['publishes', 'writes'],
      ]) {
        const named = new RegExp(`^\\| ${row} +\\|(.*)\\|$`, 'm').exec(readme)?.[1] ?? '';
        const documented = [...named.matchAll(/`((?:commands|events|indelible)\.[a-z0-9.]+)`/g)].map(
          ([, topic]) => topic,
        );
        const listed = new RegExp(`^  ${key}: \\[(.*)\\]$`, 'm')
          .exec(block)?.[1]
          ?.split(', ')
          .filter((topic) => topic !== '');
        expect([name, key, listed?.toSorted()]).toEqual([name, key, documented.toSorted()]);
      }
    }
  });

  it('describes every value in its README', () => {
    const readme = chart('README.md');
    let section = '';
    const values = chart('values.yaml')
      .split('\n')
      .flatMap((line) => {
        const [, indent, key = '', rest = ''] = /^( {0,2})([a-z][A-Za-z-]*):(.*)$/.exec(line) ?? [];
        if (indent === '') section = key;
        const isParent = indent === '' && rest === '';
        return indent === undefined || indent === ' ' || isParent ? [] : [indent === '' ? key : `${section}.${key}`];
      })
      .filter((value) => !/^(?:defaults|services)\./.test(value));
    expect(values.length).toBeGreaterThan(40);
    expect(values.filter((value) => !readme.includes(`\`${value}\``))).toEqual([]);
  });
});
