import type { Hex } from '@indelible/identifiers';
import type { StampFacts, StampFile } from '@indelible/messages';
import { UnavailableError } from '@indelible/service-runtime';
import { describe, expect, it } from '@jest/globals';
import { createFindStamps } from './find-stamps.ts';

const [ada, eve] = [`0x${'aa'.repeat(20)}`, `0x${'ee'.repeat(20)}`] as [Hex, Hex];
const waits = new AbortController().signal;
const stampFacts = (id: string, more: Partial<StampFacts> = {}): StampFacts => ({
  ...{ id, account: ada, objectCid: '0xbb', setCid: '0x00', requestedAt: '2026-01-02T03:04:05.678Z' },
  ...{ status: 'accepted', receipt: null, refusal: null, hasContent: false, wasConfirmed: false },
  ...more,
});
const file = (stampId: string): StampFile => ({
  ...{ stampId, status: 'success', came: 'with-stamp', fileName: 'f', filePath: 'p/f', fault: null },
});

/** Stamping and storage in memory; each response waits for the test. */
function neighbours(known: readonly StampFacts[]) {
  const looked: (readonly string[])[] = [];
  const filesOf: (readonly string[])[] = [];
  const answers: (() => void)[] = [];
  const confirmed: Hex[] = [];
  const findStamps = createFindStamps({
    async findFacts(ids) {
      looked.push(ids);
      await new Promise<void>((resolve) => answers.push(resolve));
      return new Map(known.filter(({ id }) => ids.includes(id)).map((one) => [one.id, one]));
    },
    async findFiles(ids) {
      filesOf.push(ids);
      return new Map(ids.map((id) => [id, file(id)]));
    },
    onConfirmed: (account) => void confirmed.push(account),
  });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { findStamps, looked, filesOf, confirmed, turn, answer: () => answers.shift()?.() };
}

describe('finding the stamps of an account', () => {
  it('separates its own from those of other accounts, and looks up in storage those that may have a file', async () => {
    const stored = stampFacts('stored', { status: 'confirmed', wasConfirmed: true, hasContent: true });
    const { findStamps, filesOf, turn, answer } = neighbours([
      stampFacts('own'),
      stampFacts('other', { account: eve }),
      stored,
    ]);
    const found = findStamps(ada, ['own', 'other', 'stored', 'never'], waits);
    await turn();
    answer();
    const { stamps, others } = await found;
    expect([...stamps.keys()]).toEqual(['own', 'stored']);
    expect([stamps.get('own')?.status, stamps.get('stored')?.status]).toEqual(['accepted', 'confirmed']);
    expect(stamps.get('stored')).toMatchObject({ filePath: 'p/f' });
    expect([...others]).toEqual(['other']);
    expect(filesOf).toEqual([['stored']]);
  });

  it('looks up what an account requests while it waits for its turn as one, and lets others have theirs (I12)', async () => {
    const { findStamps, looked, turn, answer } = neighbours([stampFacts('4')]);
    const busy = ['0', '1', '2', '3'].map(async (id) => {
      const found = findStamps(ada, [id], waits);
      await turn();
      return found;
    });
    for (let count = 0; count < 4; count++) await turn();
    const waiting = ['4', '5', '6'].map((id) => findStamps(ada, [id], waits));
    const other = findStamps(eve, ['7'], waits);
    await turn();
    while (looked.length < 1 || answer() !== undefined) await turn();
    for (let count = 0; count < 10; count++) {
      answer();
      await turn();
    }
    await Promise.all([...busy, ...waiting, other]);
    expect(looked.slice(-2)).toEqual([['4', '5', '6'], ['7']]);
    expect((await waiting[0])?.stamps.get('4')).toMatchObject({ id: '4' });
  });

  describe('while stamping does not answer', () => {
    const thousand = (name: string): string[] => Array.from({ length: 1_000 }, (_, index) => `${name} ${index}`);

    /** Ada's look-ups, too large to share a turn: four begin, the others wait. */
    async function busyWith(count: number, gone: (index: number) => AbortSignal) {
      const stamping = neighbours([]);
      const all: Promise<PromiseSettledResult<unknown>>[] = [];
      for (let index = 0; index < count; index++) {
        all.push(
          Promise.allSettled([stamping.findStamps(ada, thousand(`${index}`), gone(index))]).then(([one]) => one),
        );
        await stamping.turn();
      }
      const end = async (): Promise<string[]> => {
        for (let answered = 0; answered < 2 * count; answered++) {
          stamping.answer();
          await stamping.turn();
        }
        return (await Promise.all(all)).map(({ status }) => status);
      };
      return { ...stamping, all, end };
    }

    it('no more than eight of an account wait for their turn: further ones of this account alone fail at once, retryable (I12)', async () => {
      const { findStamps, looked, all, end } = await busyWith(15, () => waits);
      expect(looked).toHaveLength(4);
      const refused = await Promise.all(all.slice(12));
      expect(refused).toMatchObject(Array(3).fill({ status: 'rejected', reason: { retryable: true } }));
      const other = findStamps(eve, ['e'], waits);
      expect(await end()).toEqual([...Array(12).fill('fulfilled'), ...Array(3).fill('rejected')]);
      expect(looked.map(([id]) => id)).toEqual([
        ...['0 0', '1 0', '2 0', '3 0', '4 0', 'e'],
        ...['5 0', '6 0', '7 0', '8 0', '9 0', '10 0', '11 0'],
      ]);
      expect((await other).stamps.size).toBe(0);
    });

    it('a look-up that no client waits for is not made when stamping answers again (I12)', async () => {
      const left = new AbortController();
      const { looked, end } = await busyWith(8, (index) => (index < 6 ? left.signal : waits));
      left.abort();
      const answers = await end();
      expect(answers).toEqual([
        'fulfilled',
        'fulfilled',
        'fulfilled',
        'fulfilled',
        'rejected',
        'rejected',
        'fulfilled',
        'fulfilled',
      ]);
      expect(looked.map(([id]) => id)).toEqual(['0 0', '1 0', '2 0', '3 0', '6 0', '7 0']);
    });

    it('what somebody else still waits for is looked up', async () => {
      const left = new AbortController();
      const { findStamps, looked, end } = await busyWith(4, () => waits);
      const abandoned = findStamps(ada, ['a'], left.signal);
      const shared = findStamps(ada, ['b'], waits);
      left.abort();
      await end();
      await Promise.all([abandoned, shared]);
      expect(looked.at(-1)).toEqual(['a', 'b']);
    });
  });

  it('is unavailable with stamping, and with storage where a file may be', async () => {
    const away = () => Promise.reject(new UnavailableError('away'));
    const confirmed = stampFacts('s', { status: 'confirmed', wasConfirmed: true });
    const withoutStorage = createFindStamps({
      findFacts: async () => new Map([['s', confirmed]]),
      findFiles: away,
      onConfirmed: () => {},
    });
    await expect(withoutStorage(ada, ['s'], waits)).rejects.toMatchObject({ retryable: true });
    const withoutStamping = createFindStamps({
      findFacts: away,
      findFiles: async () => new Map(),
      onConfirmed: () => {},
    });
    await expect(withoutStamping(ada, ['s'], waits)).rejects.toMatchObject({ retryable: true });
  });
});
