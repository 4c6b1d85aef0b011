import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { HttpError } from '../../errors/http-error.ts';
import { openCsvParser } from './csv-parser.ts';
import { readCsvRows } from './csv-rows.ts';
import type { CsvRow } from './plain-rows.ts';

type Outcome = { readonly batches: readonly CsvRow[][]; readonly fault: string | undefined };

async function outcomeOf(batches: AsyncIterable<CsvRow[]>): Promise<Outcome> {
  const taken: CsvRow[][] = [];
  try {
    for await (const batch of batches) taken.push(batch);
    return { batches: taken, fault: undefined };
  } catch (error) {
    if (error instanceof HttpError) return { batches: taken, fault: error.message };
    throw error;
  }
}

async function* inOrder(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}

/** The rows as csv-parse alone makes them. */
async function* parsedRows(chunks: readonly Buffer[]): AsyncGenerator<CsvRow[]> {
  const parser = openCsvParser({ line: 1, bom: true });
  try {
    for (const chunk of chunks) {
      const rows = await parser.write(chunk);
      if (rows.length > 0) yield rows;
    }
    const rows = await parser.end();
    if (rows.length > 0) yield rows;
  } finally {
    await parser.close();
  }
}

/** Cuts into pieces of these sizes, repeatedly. */
function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const end = at + (sizes[i % sizes.length] as number);
    pieces.push(bytes.subarray(at, end));
    at = end;
  }
  return pieces;
}

const text = fc.string({ unit: fc.constantFrom('a', '1', ' ', 'é', '€', '😀', '\ufeff'), maxLength: 6 });
const textWith = (...others: readonly string[]) =>
  fc.string({ unit: fc.constantFrom('a', 'é', ',', ...others), maxLength: 6 });
const quoted = (value: fc.Arbitrary<string>) => value.map((inner) => `"${inner}"`);
const lineOf = (value: fc.Arbitrary<string>) =>
  fc.array(value, { minLength: 1, maxLength: 4 }).map((values) => values.join(','));
const plainLine = lineOf(fc.oneof(text, quoted(textWith())));
const unusualLine = lineOf(fc.oneof(text, quoted(textWith('""', '\n', '\r\n'))));
const noise = fc.string({ unit: fc.constantFrom('a', ',', '"', '\r', '\n', 'é'), maxLength: 12 });
const body = (line: fc.Arbitrary<string>) =>
  fc
    .tuple(
      fc.constantFrom('', '', '\ufeff'),
      fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 80, size: 'max' }),
      fc.oneof(fc.constant(''), plainLine, noise),
    )
    .map(([mark, lines, tail]) => Buffer.from(mark + lines.flat().join('') + tail));
const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 400 })), {
  minLength: 1,
  maxLength: 12,
});

describe('the rows of a CSV', () => {
  it.each([
    ['plain lines', plainLine],
    ['lines of all kinds', fc.oneof({ weight: 8, arbitrary: plainLine }, { weight: 1, arbitrary: unusualLine })],
    ['unusual lines', unusualLine],
    ['lines with faults', fc.oneof({ weight: 60, arbitrary: plainLine }, { weight: 1, arbitrary: noise })],
  ])(
    'of %s are those that csv-parse makes, with the same errors and batches, wherever they are cut',
    async (_what, line) => {
      await fc.assert(
        fc.asyncProperty(body(line), sizes, async (bytes, at) => {
          const chunks = cut(bytes, at);
          expect(await outcomeOf(readCsvRows(inOrder(chunks)))).toEqual(await outcomeOf(parsedRows(chunks)));
        }),
        // Limits the shrinking of a failing case.
        { numRuns: 150, interruptAfterTimeLimit: 15_000 },
      );
    },
  );

  it('are read of chunks of any size', async () => {
    const lines = 300_000;
    const chunks = [Buffer.alloc(lines, '\n'), Buffer.alloc(lines, '\n')];
    const { batches } = await outcomeOf(readCsvRows(inOrder(chunks)));
    const rows = batches.flat();
    expect([rows.length, rows.at(-1)]).toEqual([2 * lines, { line: 2 * lines, values: [''] }]);
  });
});
