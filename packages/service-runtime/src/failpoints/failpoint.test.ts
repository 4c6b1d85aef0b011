import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';

/** A process that arms the given text, passes points, and reports each. */
function run(armed: string, passings: readonly string[]) {
  const moduleAt = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const program = `
    import { armFailpoints, failpoint } from ${moduleAt('./failpoint.ts')};
    import { parseFailpoints } from ${moduleAt('./parse-failpoints.ts')};
    armFailpoints(parseFailpoints(${JSON.stringify(armed)}).plan);
    for (const name of ${JSON.stringify(passings)}) {
      failpoint(name);
      process.stdout.write(name + '\\n');
    }`;
  return spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 'pipe'] });
}

async function outcomeOf(child: ReturnType<typeof run>) {
  const [passed, told, [, signal]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { passed: passed.split('\n').filter(Boolean), told, signal: signal as string | null };
}

describe('a failpoint', () => {
  it('does nothing when none, or another, is armed', async () => {
    for (const armed of ['', 'storage.moved=kill']) {
      const { passed, signal } = await outcomeOf(run(armed, ['stamping.decided', 'stamping.decided']));
      expect(passed).toHaveLength(2);
      expect(signal).toBeNull();
    }
  });

  it('kills its process at the passing it is armed for, and says so before', async () => {
    const outcome = await outcomeOf(run('stamping.decided=kill@2', Array(3).fill('stamping.decided')));
    expect(outcome).toEqual({
      passed: ['stamping.decided'],
      told: 'failpoint stamping.decided: SIGKILL\n',
      signal: 'SIGKILL',
    });
  });

  it('stops its process once, which resumes on a signal', async () => {
    const child = run('stamping.decided=stop', ['stamping.decided', 'stamping.decided']);
    const told = once(child.stderr, 'data');
    expect(String(await told)).toBe('failpoint stamping.decided: SIGSTOP\n');
    // It may not have stopped yet: keeps sending SIGCONT until it continues.
    const telling = setInterval(() => child.kill('SIGCONT'), 20);
    const [passed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    clearInterval(telling);
    expect(passed.split('\n').filter(Boolean)).toHaveLength(2);
    expect(code).toBe(0);
  });
});
