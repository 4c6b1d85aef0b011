import { spawn } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { identifyProcess, isAlive, parseStat } from './process-identity.ts';

describe('parseStat', () => {
  it('finds state and start time behind a name with blanks and brackets', () => {
    const rest = Array.from({ length: 50 }, (_, index) => String(index + 4)).join(' ');
    expect(parseStat(`42 (a) (b c)) S ${rest}`)).toEqual({ state: 'S', startTime: '22' });
    expect(parseStat('')).toBeUndefined();
  });
});

describe('a process identity', () => {
  it('is that of one process, and not of another that got the same number', async () => {
    const self = await identifyProcess(process.pid);
    expect(self).toBeDefined();
    expect(await isAlive({ pid: process.pid, startedAt: self?.startedAt ?? '' })).toBe(true);
    expect(await isAlive({ pid: process.pid, startedAt: 'another time' })).toBe(false);
  });

  it('is gone with the process', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await new Promise((spawned) => child.once('spawn', spawned));
    const identity = await identifyProcess(child.pid ?? 0);
    expect(identity && (await isAlive(identity))).toBe(true);
    child.kill('SIGKILL');
    await new Promise((exited) => child.once('exit', exited));
    expect(identity && (await isAlive(identity))).toBe(false);
  });
});
