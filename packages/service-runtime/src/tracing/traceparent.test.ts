import { describe, expect, it } from '@jest/globals';
import { isSampled, isTraceparent, traceIdsForLog, withDecision } from './traceparent.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const sampled = `00-${trace}-00f067aa0ba902b7-01`;

describe('a traceparent', () => {
  it('is of version 00, and its ids are not all zero', () => {
    expect(isTraceparent(sampled)).toBe(true);
    for (const wrong of [
      '',
      'trace',
      sampled.toUpperCase(),
      `${sampled}-00`,
      sampled.replace('00-', 'ff-'),
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      `00-${trace}-${'0'.repeat(16)}-01`,
    ])
      expect(isTraceparent(wrong)).toBe(false);
  });

  it('is sampled by its last flag alone', () => {
    for (const flags of ['01', '03', '0b', 'ff']) expect(isSampled(sampled.replace(/01$/, flags))).toBe(true);
    for (const flags of ['00', '02', '0a', 'fe']) expect(isSampled(sampled.replace(/01$/, flags))).toBe(false);
    expect([undefined, null, '', '1'].map(isSampled)).toEqual([false, false, false, false]);
  });

  it('keeps its place with another decision', () => {
    expect(withDecision(sampled, false)).toBe(sampled.replace(/01$/, '00'));
    expect(withDecision(withDecision(sampled, false), true)).toBe(sampled);
  });

  it('is in a line of the log by its trace, each once and 50 at most; nothing where there is none', () => {
    expect(traceIdsForLog([undefined, null, 'trace'])).toEqual({});
    expect(traceIdsForLog([sampled, undefined, sampled])).toEqual({ traceIds: [trace] });
    const many = Array.from({ length: 60 }, (_, i) => sampled.replace('4bf9', (0x1000 + i).toString(16)));
    expect(traceIdsForLog(many).traceIds).toHaveLength(50);
  });
});
