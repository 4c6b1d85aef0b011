import { describe, expect, it } from '@jest/globals';
import { type ExamineSettings, examine } from './examine.ts';
import { mostAsked, type Survey } from './survey.ts';

const differing = (key: string) => ({ key, subject: `row ${key}`, what: 'differs', remedy: 'mend it' });
const settings: ExamineSettings = { recheckAfterMs: 0, mostShown: 2, describe: String };
const examined = (survey: Partial<Survey>, changes: Partial<ExamineSettings> = {}) =>
  examine(
    {
      name: 'views',
      prepare: async () => {},
      surveys: [{ of: 'rows', async *all() {}, again: async () => [], ...survey }],
    },
    { ...settings, ...changes },
  );

describe('a difference', () => {
  it('is reported only if it is still there at the second look', async () => {
    const finding = await examined({
      async *all() {
        yield { looked: 3, differences: ['a', 'b'].map(differing) };
      },
      again: async (keys) => keys.filter((key) => key === 'b').map(differing),
    });
    expect(finding).toMatchObject({ outcome: 'differs', differences: 1, looked: [{ of: 'rows', count: 3 }] });
    expect(finding.shown).toEqual([{ subject: 'row b', what: 'differs', remedy: 'mend it' }]);
  });

  it('that has gone by then was only on its way: all is clean', async () => {
    const finding = await examined({
      async *all() {
        yield { looked: 1, differences: [differing('a')] };
      },
    });
    expect(finding).toMatchObject({ outcome: 'clean', differences: 0, shown: [] });
  });

  it('is counted with all others, though few are shown and few are held at once', async () => {
    let most = 0;
    const finding = await examined({
      async *all() {
        for (let page = 0; page < 50; page++)
          yield { looked: 100, differences: Array.from({ length: 100 }, (_, i) => differing(`${page} ${i}`)) };
      },
      async again(keys) {
        most = Math.max(most, keys.length);
        return keys.map(differing);
      },
    });
    expect(finding).toMatchObject({ differences: 5_000, looked: [{ count: 5_000 }] });
    expect(finding.shown).toHaveLength(2);
    expect(most).toBeLessThanOrEqual(mostAsked);
  });

  it('stays found when something becomes unavailable later', async () => {
    const finding = await examined({
      async *all() {
        yield { looked: 1, differences: Array.from({ length: mostAsked }, (_, i) => differing(String(i))) };
        throw new Error('gone');
      },
      again: async (keys) => keys.map(differing),
    });
    expect(finding).toMatchObject({ outcome: 'not looked', away: 'Error: gone', differences: mostAsked });
  });
});

describe('a check', () => {
  it('that is not prepared looks at nothing, and says what is unavailable', async () => {
    const finding = await examine(
      { name: 'files', prepare: () => Promise.reject(new Error('no folder')), surveys: [] },
      settings,
    );
    expect(finding).toEqual({
      check: 'files',
      outcome: 'not looked',
      looked: [],
      differences: 0,
      shown: [],
      away: 'Error: no folder',
    });
  });

  it('ends at once by its signal', async () => {
    const stopping = new AbortController();
    const reason = new Error('stopped');
    const ended = examined(
      {
        async *all() {
          yield { looked: 1, differences: [differing('a')] };
          stopping.abort(reason);
          yield { looked: 1, differences: [] };
        },
      },
      { signal: stopping.signal, recheckAfterMs: 3_600_000 },
    );
    await expect(ended).rejects.toBe(reason);
  });
});
