import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createScreen, readableLine } from './screen.ts';

describe('a line of a service', () => {
  it('is shown as level, message and fields', () => {
    const line = JSON.stringify({
      level: 'warn',
      time: 't',
      service: 's',
      version: 'v',
      msg: 'late',
      requestId: 'r',
      err: { message: 'no' },
    });
    expect(readableLine(line)).toBe('warn  late requestId=r err="no"');
  });
  it('is shown as it is when it is no JSON', () => {
    for (const line of ['plain', '{broken']) expect(readableLine(line)).toBe(line);
  });
});

describe('a step', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('that takes long says so while it runs', () => {
    const out = new PassThrough();
    const screen = createScreen(out);
    screen.step({ name: 'kafka', state: 'started', seconds: 0, detail: '' });
    jest.advanceTimersByTime(11_000);
    screen.step({ name: 'kafka', state: 'done', seconds: 11, detail: 'there' });
    jest.advanceTimersByTime(60_000);
    const lines = String(out.read()).trim().split('\n');
    expect(lines.map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
      '… kafka 5.0 s',
      '… kafka 10.0 s',
      '✓ kafka 11.0 s there',
    ]);
  });

  it('that is quick has its one line', () => {
    const out = new PassThrough();
    const screen = createScreen(out);
    screen.step({ name: 'redis', state: 'started', seconds: 0, detail: '' });
    screen.step({ name: 'redis', state: 'done', seconds: 0.1, detail: '' });
    jest.advanceTimersByTime(60_000);
    expect(String(out.read()).trim().split('\n')).toHaveLength(1);
  });
});
