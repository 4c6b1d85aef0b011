import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CutLine, createLineCutter } from './cut-lines.ts';

const cut = (chunks: readonly Buffer[], maxLineBytes = 4_096): CutLine[] => {
  const cutter = createLineCutter(maxLineBytes);
  return [...chunks.flatMap((chunk) => cutter.push(chunk)), ...cutter.end()];
};
const inPieces = (bytes: Buffer, sizes: readonly number[]): Buffer[] => {
  const pieces: Buffer[] = [];
  for (let start = 0, i = 0; start < bytes.length; i++) {
    const size = sizes[i % sizes.length] as number;
    pieces.push(bytes.subarray(start, start + size));
    start += size;
  }
  return pieces;
};

describe('lines of a body', () => {
  it('are what is between its line ends, wherever the chunks are cut, even within characters', () => {
    const line = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\n'));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (lines, sizes) => {
        const whole = Buffer.from(lines.map((one) => `${one}\n`).join(''));
        expect(cut(inPieces(whole, sizes))).toEqual(lines);
      }),
    );
  });

  it('may end without a line end, and none is made of nothing', () => {
    expect(cut([Buffer.from('a\nb')])).toEqual(['a', 'b']);
    expect(cut([])).toEqual([]);
    expect(cut([Buffer.from('a\n\n')])).toEqual(['a', '']);
  });

  it.each([1, 7, 100])(
    'that are too long are invalid, and those before and after them are not (chunks of %i)',
    (size) => {
      const whole = Buffer.from(
        `short\n${'x'.repeat(11)}\nexactly 10\n${'é'.repeat(6)}\n${'y'.repeat(500)}\nlast${'z'.repeat(99)}`,
      );
      const tooLong = { fault: 'the line is longer than 10 bytes' };
      expect(cut(inPieces(whole, [size]), 10)).toEqual(['short', tooLong, 'exactly 10', tooLong, tooLong, tooLong]);
    },
  );

  it('that are no UTF-8 are faults, and those beside them are not', () => {
    const whole = Buffer.concat([
      Buffer.from('é\n'),
      Buffer.from([0xff, 0x0a]),
      Buffer.from('ü\n'),
      Buffer.from([0xc3]),
    ]);
    const notText = { fault: 'the line is not valid UTF-8' };
    expect(cut([whole])).toEqual(['é', notText, 'ü', notText]);
  });
});
