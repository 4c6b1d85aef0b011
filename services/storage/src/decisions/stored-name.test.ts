import { describe, expect, it } from '@jest/globals';
import {
  candidatePaths,
  cutAtCharacter,
  faultOfFileName,
  type PlacedFile,
  splitName,
  storedName,
} from './stored-name.ts';

const cid = `0x${'0123456789abcdef'.repeat(4)}` as const;
const file: PlacedFile = {
  fileName: 'report.pdf',
  account: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
  setCid: `0x${'b'.repeat(64)}`,
  objectCid: cid,
  collectionName: 'Photos',
  // 2026-11-21T03:04:05Z
  blockTime: 1_795_230_245,
};
const bytes = (text: string): number => Buffer.byteLength(text);

describe('the folder', () => {
  it('of what could not be stamped is non_confirmed/ in place of stamped/', () => {
    const paths = (kind?: 'stamped' | 'non_confirmed') => {
      const candidates = candidatePaths(file, kind);
      return 'fault' in candidates ? [] : candidates.map(({ filePath }) => filePath);
    };
    expect(paths()[0]).toMatch(/^0x[0-9a-fA-F]{40}\/collections\/Photos\/stamped\/report_/);
    expect(paths('non_confirmed')).toEqual(paths().map((path) => path.replace('/stamped/', '/non_confirmed/')));
  });
});

describe('splitName', () => {
  it.each([
    ['a.txt', 'a', 'txt'],
    ['a.tar.gz', 'a.tar', 'gz'],
    ['.env', '.env', undefined],
    ['README', 'README', undefined],
    ['a.', 'a.', undefined],
    ['..a', '.', 'a'],
    ['.a.b', '.a', 'b'],
    [`a.${'x'.repeat(32)}`, 'a', 'x'.repeat(32)],
    [`a.${'x'.repeat(33)}`, `a.${'x'.repeat(33)}`, undefined],
    [`a.${'é'.repeat(16)}`, 'a', 'é'.repeat(16)],
    [`a.${'é'.repeat(17)}`, `a.${'é'.repeat(17)}`, undefined],
    ['name with. space', 'name with', ' space'],
  ])('of %j', (name, base, extension) => {
    expect(splitName(name)).toEqual({ base, extension });
  });
});

describe('cutAtCharacter', () => {
  it('cuts no character of any width', () => {
    expect(cutAtCharacter('aé日😀b', 100)).toBe('aé日😀b');
    expect([11, 10, 9, 6, 5, 3, 2, 1, 0].map((length) => cutAtCharacter('aé日😀b', length))).toEqual([
      'aé日😀b',
      'aé日😀',
      'aé日',
      'aé日',
      'aé',
      'aé',
      'a',
      'a',
      '',
    ]);
  });
});

describe('storedName', () => {
  it('carries the receipt’s time in UTC', () => {
    expect(storedName(file, 0)).toBe('report_2026-11-21_03-04-05+0000.pdf');
    expect(storedName({ ...file, fileName: '.env' }, 0)).toBe('.env_2026-11-21_03-04-05+0000');
    expect(storedName({ ...file, fileName: 'a.tar.gz', blockTime: 0 }, 0)).toBe('a.tar_1970-01-01_00-00-00+0000.gz');
  });

  it('carries digits of the CID between base and time when it must', () => {
    expect(storedName(file, 8)).toBe('report_01234567_2026-11-21_03-04-05+0000.pdf');
    expect(storedName(file, 64)).toBe(`report_${cid.slice(2)}_2026-11-21_03-04-05+0000.pdf`);
  });

  it.each([0, 8, 16, 32, 64])('is at most 255 bytes with %i digits, and full where it is cut', (digits) => {
    for (const letter of ['x', 'é', '日', '😀'])
      for (const extension of ['', '.pdf', `.${'y'.repeat(32)}`]) {
        const name = storedName({ ...file, fileName: letter.repeat(250 / bytes(letter)) + extension }, digits);
        expect(bytes(name)).toBeLessThanOrEqual(255);
        expect(bytes(name)).toBeGreaterThan(255 - bytes(letter));
        expect(name.isWellFormed()).toBe(true);
        expect(name).toMatch(new RegExp(`\\+0000${extension.replace('.', '\\.')}$`));
      }
  });
});

describe('candidatePaths', () => {
  it('lie in the collection’s folder under the checksummed address, the plain name first', () => {
    const paths = candidatePaths(file);
    expect('fault' in paths ? paths : paths.map((path) => path.filePath)).toEqual(
      ['', '_01234567', '_0123456789abcdef', `_${cid.slice(2, 34)}`, `_${cid.slice(2)}`].map(
        (digits) =>
          `0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed/collections/Photos/stamped/report${digits}_2026-11-21_03-04-05+0000.pdf`,
      ),
    );
  });

  it('lie right under the account without a collection', () => {
    const paths = candidatePaths({ ...file, setCid: `0x${'0'.repeat(64)}`, collectionName: null });
    expect(paths).toMatchObject({
      0: {
        fileName: 'report_2026-11-21_03-04-05+0000.pdf',
        filePath: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed/stamped/report_2026-11-21_03-04-05+0000.pdf',
      },
    });
  });

  it('name a set whose name is not known by its CID', () => {
    expect(candidatePaths({ ...file, collectionName: null })).toMatchObject({
      0: { filePath: expect.stringContaining(`/collections/0x${'b'.repeat(64)}/stamped/`) },
    });
  });

  it.each([
    ['a file name that leads elsewhere', { fileName: '../../etc/passwd' }],
    ['a file name with a NUL', { fileName: 'a\0' }],
    ['a collection that leads elsewhere', { collectionName: '..' }],
    ['a collection with a separator', { collectionName: 'a/b' }],
    ['a time after the year 9999', { blockTime: 253_402_300_800 }],
  ])('are none for %s', (_name, change) => {
    expect(candidatePaths({ ...file, ...change })).toEqual({ fault: expect.any(String) });
  });
});

describe('faultOfFileName', () => {
  it.each(['', '.', '..', 'a/b', 'a\\b', 'a\nb', 'a\0', 'a\u007f', 'a\u0085', 'x'.repeat(256), 'a\ud800'])(
    'of %j',
    (name) => {
      expect(faultOfFileName(name)).toEqual(expect.any(String));
    },
  );

  it.each(['...', ' a ', 'a:b*?', 'é'.repeat(127), 'x'.repeat(255), '😀.txt', '-rf'])('is none of %j', (name) => {
    expect(faultOfFileName(name)).toBeUndefined();
  });
});
