import { describe, expect, it } from '@jest/globals';
import { readCpuSeconds, readStat } from './process-cpu.ts';

describe('CPU time', () => {
  it('is that of a process, and of its children that ended, whatever it is called', () => {
    const stat = '42 (a (b) c) S 7 42 42 0 -1 4194304 100 0 0 0 11 22 33 44 20 0 1 0 5000 1000 10';
    expect(readStat(stat)).toEqual({ parent: 7, ticks: 11 + 22 + 33 + 44 });
  });

  it('is read of processes that run, and of no others', async () => {
    const seconds = await readCpuSeconds([{ name: 'tests', pid: () => process.pid }]);
    expect(seconds.get('tests')).toBeGreaterThan(0);
    await expect(readCpuSeconds([{ name: 'gone', pid: () => undefined }])).rejects.toThrow('gone does not run');
  });
});
