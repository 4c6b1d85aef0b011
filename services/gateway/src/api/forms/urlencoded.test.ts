import { describe, expect, it } from '@jest/globals';
import { readUrlencoded, readWholeUrlencoded } from './urlencoded.ts';

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

async function read(text: string, size: number): Promise<[string, string][]> {
  const fields: [string, string][] = [];
  for await (const part of readUrlencoded(inPieces(Buffer.from(text), size), 5)) {
    const chunks: Buffer[] = [];
    for await (const chunk of part.body) chunks.push(chunk);
    fields.push([part.name, Buffer.concat(chunks).toString()]);
  }
  return fields;
}

describe('an urlencoded form', () => {
  it.each([1, 2, 3, 4, 7, 1000])('is decoded in pieces of %d', async (size) => {
    const text = 'a=1+2&&b%20c=%e2%82%AC%2B&flag&empty=&';
    expect(await read(text, size)).toEqual([
      ['a', '1 2'],
      ['b c', '€+'],
      ['flag', ''],
      ['empty', ''],
    ]);
  });
  it('is read as URLSearchParams reads it', async () => {
    const parameters = new URLSearchParams({ data: '{"é": "a+b&c=d%"}\r\n', x: ' ~*' });
    expect(await read(parameters.toString(), 5)).toEqual([...parameters]);
  });
  it('without anything has no fields', async () => {
    expect(await read('', 1)).toEqual([]);
  });
  it.each(['a=%', 'a=%2', 'a=%zz', 'a=1%&b=2', '%=1', `${'n'.repeat(5000)}=1`, 'a=1&b=1&c=1&d=1&e=1&f=1'])(
    '%s is refused',
    async (text) => {
      await expect(read(text, 3)).rejects.toMatchObject({ status: 400 });
    },
  );

  it('of millions of empty fields costs no more than its bytes', async () => {
    expect(await read(`${'&'.repeat(8 * 2 ** 20)}a=1`, 64 * 1024)).toEqual([['a', '1']]);
  });

  it('that is here as a whole is read as one that streams: fields, and faults', async () => {
    const whole = async (text: string): Promise<[string, string][]> => {
      const fields: [string, string][] = [];
      for (const field of readWholeUrlencoded(Buffer.from(text), 5))
        fields.push([field.name, field.value().toString()]);
      return fields;
    };
    const outcome = (reading: Promise<unknown>) => reading.catch((error: Error) => error.message);
    const pieces = ['a', '=', '&', '%41', '%4', '%', '+', 'é', 'bc', '%zz'];
    for (let seed = 1; seed <= 2_000; seed++) {
      let state = seed;
      const next = (below: number): number => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        return (state >>> 8) % below;
      };
      const text = Array.from({ length: next(14) }, () => pieces[next(pieces.length)]).join('');
      expect([text, await outcome(whole(text))]).toEqual([text, await outcome(read(text, 1_000))]);
    }
  });
});
