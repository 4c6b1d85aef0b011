import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { ToolEnvironment } from '@indelible/launcher/servers';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { providePython } from '../src/provide-python.ts';

/** Stands for Python: says its version, makes an environment with itself in it, and notes what pip was to install. */
const PYTHON = (version: string) => `#!/bin/sh
case "$1 $2" in
  "-c "*) echo ${version} ;;
  "-m venv") mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && echo venv >> "$RUNS" ;;
  "-m pip") [ -z "$PIP_FAILS" ] || { echo "no matching distribution" >&2; exit 1; }; echo "$@" >> "$RUNS" ;;
esac
`;

describe('providePython', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'python-'));
    jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    await writeFile(places().requirements, 'standardwebhooks==1.1.0\n');
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await rm(directory, { recursive: true, force: true });
  });

  const places = () => ({ directory: join(directory, 'venv'), requirements: join(directory, 'requirements.txt') });
  const runs = async () => (await readFile(join(directory, 'runs'), 'utf8')).trim().split('\n');
  const install = async (name: string, version: string): Promise<void> => {
    await mkdir(join(directory, 'bin'), { recursive: true });
    await writeFile(join(directory, 'bin', name), PYTHON(version));
    await chmod(join(directory, 'bin', name), 0o755);
  };
  const provide = (variables: Record<string, string> = {}) => {
    const path = [join(directory, 'bin'), '/usr/bin', '/bin'].join(delimiter);
    const all = { PATH: path, RUNS: join(directory, 'runs'), ...variables };
    return providePython({ path, javaHome: undefined, all } as ToolEnvironment, AbortSignal.timeout(20_000), places());
  };

  it('makes the environment once, also for two at the same moment, and again when the list of packages changes', async () => {
    await install('python3', '3.12');
    const python = join(places().directory, 'bin/python');
    expect(await Promise.all([provide(), provide()])).toEqual([python, python]);
    const once = ['venv', `-m pip install --quiet --requirement ${places().requirements}`];
    expect(await runs()).toEqual(once);
    await writeFile(places().requirements, 'standardwebhooks==1.1.1\n');
    expect(await provide()).toBe(python);
    expect(await runs()).toEqual([...once, ...once]);
  });

  it('says what to do where pip fails, and tries again the next time', async () => {
    await install('python3', '3.10');
    await expect(provide({ PIP_FAILS: '1' })).rejects.toMatchObject({
      remedy: 'check that pip reaches its package index, then start again',
      lastLines: ['no matching distribution'],
    });
    expect(await provide()).toBe(join(places().directory, 'bin/python'));
  });

  it('takes another Python where the first is too old, and says what to install where there is none', async () => {
    await install('python3', '3.9');
    await install('python', '3.10');
    expect(await provide()).toBe(join(places().directory, 'bin/python'));
    await install('python', '2.7');
    await expect(provide()).rejects.toThrow('No Python 3.10 or later with venv on PATH');
  });
});
