import { describe, expect, it } from '@jest/globals';
import busboy from 'busboy';
import { readMultipart } from './multipart.ts';

type Read = { name: string; fileName: string | undefined; value: string };

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

async function read(text: string | Buffer, size = 7, boundary = 'XX'): Promise<Read[]> {
  const parts: Read[] = [];
  for await (const part of readMultipart(inPieces(Buffer.from(text as string, 'latin1'), size), boundary, 10)) {
    const chunks: Buffer[] = [];
    for await (const chunk of part.body) chunks.push(chunk);
    parts.push({ name: part.name, fileName: part.fileName, value: Buffer.concat(chunks).toString('latin1') });
  }
  return parts;
}

const lines = (...all: string[]): string => all.join('\r\n');
const field = (name: string, value: string, ...headers: string[]): string =>
  lines('--XX', `Content-Disposition: form-data; name="${name}"`, ...headers, '', value);

describe('a multipart form', () => {
  const tricky = '\r\n--X\r\n-\r\r\n--XY--\r\n';
  const form = lines(
    field('a', '1'),
    field('empty', ''),
    lines(
      '--XX',
      'content-disposition: form-data; name="file"; filename="a;b \\"c\\".bin"',
      'Content-Type: x/y',
      '',
      tricky,
    ),
    '--XX--',
    'epilogue',
  );

  it.each([1, 2, 3, 5, 8, 13, 64, 4096])('is read byte for byte in pieces of %d', async (size) => {
    expect(await read(form, size)).toEqual([
      { name: 'a', fileName: undefined, value: '1' },
      { name: 'empty', fileName: undefined, value: '' },
      { name: 'file', fileName: 'a;b "c".bin', value: tricky },
    ]);
  });

  it('is read as busboy reads it', async () => {
    const body = Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * 7919) % 251));
    const text = lines(
      field('a', 'one'),
      field('file', body.toString('latin1')).replace('"file"', '"file"; filename="f"'),
      '--XX--',
      '',
    );
    const oracle: Read[] = [];
    await new Promise<void>((resolve, reject) => {
      const parser = busboy({ headers: { 'content-type': 'multipart/form-data; boundary=XX' } });
      parser.on('field', (name, value) => oracle.push({ name, fileName: undefined, value }));
      parser.on('file', (name, stream, { filename }) => {
        const chunks: Buffer[] = [];
        stream.on('error', reject).on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () =>
          oracle.push({ name, fileName: filename, value: Buffer.concat(chunks).toString('latin1') }),
        );
      });
      parser.on('close', resolve).on('error', reject).end(Buffer.from(text, 'latin1'));
    });
    expect(await read(text, 1000)).toEqual(oracle);
  });

  it('may have a preamble, padding after its boundaries, and parts that are not read', async () => {
    const text = lines('preamble', field('a', '1').replace('--XX', '--XX \t'), '--XX--');
    expect(await read(text)).toEqual([{ name: 'a', fileName: undefined, value: '1' }]);
    const names: string[] = [];
    for await (const part of readMultipart(inPieces(Buffer.from(form, 'latin1'), 3), 'XX', 10)) names.push(part.name);
    expect(names).toEqual(['a', 'empty', 'file']);
  });

  it.each([
    ['UTF-8 names', 'name="\xc3\xa9"; filename="\xe2\x82\xac"', 'é', '€'],
    ['an extended file name', 'name="file"; filename="x"; filename*=UTF-8\'\'%e2%82%ac', 'file', '€'],
    ['an unquoted name', 'name=file; filename=f.txt', 'file', 'f.txt'],
    ['a Windows path as it is', 'name="file"; filename="C:\\dir\\f.txt"', 'file', 'C:\\dir\\f.txt'],
    ['an empty file name', 'name="file"; filename=""', 'file', ''],
  ])('has %s', async (_what, disposition, name, fileName) => {
    const text = lines('--XX', `Content-Disposition: form-data; ${disposition}`, '', 'v', '--XX--');
    expect(await read(text)).toEqual([{ name, fileName, value: 'v' }]);
  });

  it.each([
    ['a missing end', field('a', '1')],
    ['an end within headers', '--XX\r\nContent-Disposition: form-data; name="a"'],
    ['nothing at all', ''],
    ['a boundary that goes on', lines(field('a', '1'), '--XXY--')],
    ['a part without a disposition', lines('--XX', 'Content-Type: text/plain', '', 'v', '--XX--')],
    ['a part without headers', lines('--XX', '', '', 'v', '--XX--')],
    ['another disposition', lines('--XX', 'Content-Disposition: attachment; name="a"', '', 'v', '--XX--')],
    ['a part without a name', lines('--XX', 'Content-Disposition: form-data; filename="a"', '', 'v', '--XX--')],
    ['two names', lines('--XX', 'Content-Disposition: form-data; name="a"; name="b"', '', 'v', '--XX--')],
    ['two dispositions', lines(field('a', '1', 'Content-Disposition: form-data; name="b"'), '--XX--')],
    ['a header without a colon', lines(field('a', '1', 'nonsense'), '--XX--')],
    ['headers that are not UTF-8', lines(field('\xff', '1'), '--XX--')],
    ['a transfer encoding', lines(field('a', 'MQ==', 'Content-Transfer-Encoding: base64'), '--XX--')],
    ['a field of another charset', lines(field('a', '1', 'Content-Type: text/plain; charset=latin1'), '--XX--')],
    ['a file name of another charset', lines(field('a"; filename*="latin1\'\'%e9', '1'), '--XX--')],
    ['headers too long', lines(field('a', '1', `X: ${'y'.repeat(20_000)}`), '--XX--')],
    ['too many parts', lines(...Array.from({ length: 11 }, (_, i) => field(`a${i}`, '1')), '--XX--')],
  ])('is refused with %s', async (_what, text) => {
    await expect(read(text)).rejects.toMatchObject({ status: 400 });
  });

  it('may declare UTF-8 for a field, and any charset for a file', async () => {
    const text = lines(
      field('a', '1', 'Content-Type: text/plain;charset="UTF-8"'),
      field('f"; filename="f', '2', 'Content-Type: text/plain; charset=latin1'),
      '--XX--',
    );
    expect(await read(text)).toHaveLength(2);
  });
});
