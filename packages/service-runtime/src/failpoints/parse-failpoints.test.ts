import { describe, expect, it } from '@jest/globals';
import { failpointNames } from './failpoint-names.ts';
import { parseFailpoints } from './parse-failpoints.ts';

describe('what is armed', () => {
  it('is nothing without a text', () => {
    for (const text of [undefined, '', ' ']) expect(parseFailpoints(text)).toEqual({ plan: new Map() });
  });

  it('is a point with its action, at its first passing or the one named', () => {
    expect(parseFailpoints('stamping.decided=kill, relay.published=stop@12')).toEqual({
      plan: new Map([
        ['stamping.decided', { action: 'kill', passing: 1 }],
        ['relay.published', { action: 'stop', passing: 12 }],
      ]),
    });
  });

  it('can be every point', () => {
    const parsed = parseFailpoints(failpointNames.map((name) => `${name}=kill`).join(','));
    expect('plan' in parsed && [...parsed.plan.keys()]).toEqual([...failpointNames]);
  });

  it('is refused with every fault at once', () => {
    const parsed = parseFailpoints('stamping.decided,stamping.nowhere=kill,relay.published=kill@0,,x=burn');
    expect('faults' in parsed && parsed.faults).toHaveLength(5);
    expect(parseFailpoints('storage.moved=kill,storage.moved=stop')).toEqual({
      faults: ['"storage.moved" is given twice'],
    });
  });
});
