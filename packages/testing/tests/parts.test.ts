import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { WORKSPACE } from '../src/environment.ts';

const run = promisify(execFile);

/** The test files of a configuration. */
async function filesOf(config: string): Promise<string[]> {
  const jest = join(WORKSPACE, 'node_modules', 'jest', 'bin', 'jest.js');
  const words = [jest, '--listTests', '--json', '--config', join(WORKSPACE, config)];
  const { stdout } = await run(process.execPath, words, { cwd: WORKSPACE, maxBuffer: 10 * 2 ** 20 });
  return (JSON.parse(stdout) as string[]).toSorted();
}

describe('`npm test` and `npm run test:faults`', () => {
  it('have each test file of the whole once', async () => {
    const beside = await filesOf('jest.beside.config.mjs');
    const alone = await filesOf('jest.alone.config.mjs');
    expect([beside.length > 0, alone.length > 0]).toEqual([true, true]);
    expect([...beside, ...alone].toSorted()).toEqual(await filesOf('jest.config.mjs'));
  });
});
