import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { serviceNames } from '@indelible/launcher';
import { consumerGroups } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import { readKafkaAccess } from '../e2e/support/kafka-access.ts';

const access = await readKafkaAccess();
const readme = await readFile(resolve(import.meta.dirname, '../../deploy/README.md'), 'utf8');

describe('the ACLs of Kafka', () => {
  it('are those of deploy/README.md, service by service', () => {
    const section = /^## ACLs of Kafka\n([\s\S]*?)^## /m.exec(readme)?.[1] ?? '';
    const rows = section
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .filter(([, name]) => serviceNames.some((service) => service === name))
      .map(([, name, ...cells]) => [
        name,
        ...cells.slice(0, 4).map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, one]) => one)),
      ]);
    const listed = serviceNames.map((name) => {
      const { reads, writes, groups, watches } = access[name];
      return [name, reads, writes, groups, [...(watches?.groups ?? []), ...(watches?.topics ?? [])]];
    });
    expect(rows).toEqual(listed);
  });

  it('let each consumer group read the topics that it handles, and belong to one service', () => {
    for (const [group, topics] of Object.entries(consumerGroups)) {
      const owners = serviceNames.filter((name) => access[name].groups.includes(group));
      expect([group, owners.length]).toEqual([group, 1]);
      for (const owner of owners) expect(access[owner].reads).toEqual(expect.arrayContaining([...topics]));
    }
  });
});
