import { describe, expect, it } from '@jest/globals';
import { checkStagedId, segmentsOf } from './blob-path.ts';
import { InvalidBlobPathError } from './errors.ts';

describe('segmentsOf', () => {
  it('splits a path, whatever the letters of its names', () => {
    expect(segmentsOf('0xAb/collections/Größe 日本/stamped/a.tar_2024.gz')).toEqual([
      '0xAb',
      'collections',
      'Größe 日本',
      'stamped',
      'a.tar_2024.gz',
    ]);
  });

  it.each([
    '',
    '/etc/passwd',
    'a//b',
    'a/',
    '.',
    'a/./b',
    '../a',
    'a/../../b',
    'a\\..\\b',
    'a\0b',
    'a\nb',
    'a\u007f',
    'x'.repeat(256),
    'é'.repeat(128),
    Array.from({ length: 8 }, () => 'x'.repeat(200)).join('/'),
    'a\ud800',
  ])('refuses %j: no path leads out of the store', (path) => {
    expect(() => segmentsOf(path)).toThrow(InvalidBlobPathError);
  });
});

describe('checkStagedId', () => {
  it('takes lower-case UUIDs only', () => {
    expect(checkStagedId('0192f0c1-7e1a-7c3e-8f00-0123456789ab')).toBe('0192f0c1-7e1a-7c3e-8f00-0123456789ab');
    for (const id of ['', '../../../../../../../../../etc/passwd', '0192F0C1-7E1A-7C3E-8F00-0123456789AB', 'x'])
      expect(() => checkStagedId(id)).toThrow(InvalidBlobPathError);
  });
});
