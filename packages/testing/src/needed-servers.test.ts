import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { neededServers, sharedServers } from './needed-servers.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'needed-servers-'));
  const files = {
    'packages/cids/src/cids.test.ts': `import { cidOf } from './cids.ts';`,
    'packages/cids/src/cids.ts': `import { hash } from 'hash';`,
    'services/keeper/tests/rows.test.ts': `import { rows } from './support/rows.ts';`,
    'services/keeper/tests/support/rows.ts': `import { testDatabase } from '@indelible/testing';\nimport '../rows.test.ts';`,
    'services/keeper/tests/sent.test.ts': `const { sent } = await import('./sent.ts');`,
    'services/keeper/tests/sent.ts': 'testKafka();',
    'tests/locks/locks.test.ts': 'const redis = testRedis();',
  };
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  }
});
afterAll(() => rm(root, { recursive: true }));

describe('the servers of a run of tests', () => {
  it.each([
    [['packages/cids'], []],
    [['services/keeper/tests/rows.test.ts'], ['postgres']],
    [['services/keeper'], ['postgres', 'kafka', 'registry']],
    [['tests/locks/', 'packages/(cids|none)'], ['redis']],
    [['-t', 'of (one|two', 'packages/cids', '--verbose'], []],
  ])('of %j are those that its files and what they import use', async (args, servers) => {
    expect(await neededServers(args, root)).toEqual(servers);
  });

  it('takes an absolute path, as an editor gives it', async () => {
    expect(await neededServers([join(root, 'tests/locks/locks.test.ts')], root)).toEqual(['redis']);
  });

  it.each([
    [[]],
    [['-t', 'title']],
    [['--config', 'another.mjs']],
    [['--onlyChanged']],
    [['nothing']],
    [['packages/cids', '/keeper/']],
    [['packages/cids', '../packages']],
  ])('are all with %j', async (args) => {
    expect(await neededServers(args, root)).toEqual(sharedServers);
  });
});
