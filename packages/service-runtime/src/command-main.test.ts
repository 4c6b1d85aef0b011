import { spawnSync } from 'node:child_process';
import { expect, it } from '@jest/globals';

const run = (work: string, environment: Record<string, string> = {}) =>
  spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { commandMain, readDatabaseUrl } from ${JSON.stringify(new URL('index.ts', import.meta.url).href)};
       await commandMain('migrate', async () => { ${work} });`,
    ],
    { env: environment, encoding: 'utf8' },
  );

it('a command that fails prints one line without secrets, and ends with 1 or, for its configuration, 78 (I10)', () => {
  const environment = { DATABASE_URL: 'postgres://user:hush%2Fhush%40hush@127.0.0.1:1/db' };
  const failed = run(
    `const url = readDatabaseUrl(process.env);
     throw new Error('cannot use ' + url + '\\nnor ' + decodeURIComponent(new URL(url).password));`,
    environment,
  );
  expect([failed.status, failed.stderr]).toEqual([
    1,
    'migrate: cannot use postgres://user:[redacted]@127.0.0.1:1/db nor [redacted]\n',
  ]);
  const refused = run('readDatabaseUrl(process.env)', { DATABASE_URL: 'hush hush hush' });
  expect(refused.status).toBe(78);
  expect(refused.stderr).toMatch(/^migrate: .*DATABASE_URL must be/);
  expect(refused.stderr).not.toContain('hush');
});
