import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { bodyOf, parseRelated, parseResource } from './requests.ts';

const type = 'multipart/related; boundary=edge';
const related = (...parts: string[]): Buffer =>
  Buffer.from(`${parts.map((part) => `--edge\r\n${part}\r\n`).join('')}--edge--\r\n`);
const resource = 'Content-Type: application/json\r\n\r\n{"name":"one"}';

describe('the body of a request', () => {
  const body = (): Readable => Readable.from([Buffer.from('seven'), Buffer.from(' bytes')]);

  it('is a 413 beyond its bound, without being held', async () => {
    expect((await bodyOf(body(), 11)).toString()).toBe('seven bytes');
    const long = body();
    await expect(bodyOf(long, 10)).rejects.toMatchObject({ status: 413 });
    expect(long.destroyed).toBe(true);
  });
});

describe('an upload in two parts', () => {
  it.each(['', 'content', '\r\n', '\r\n--edg\r\n--', '-- edge\n'])('keeps every byte of its content: %j', (content) => {
    const body = related(resource, `Content-Type: text/plain\r\n\r\n${content}`);
    const parsed = parseRelated(type, body);
    expect([parsed.content.toString(), parsed.contentType]).toEqual([content, 'text/plain']);
    expect(parseResource(parsed.resource).name).toBe('one');
  });

  it.each([
    ['one part', type, related(resource)],
    ['three parts', type, related(resource, resource, resource)],
    ['a part without an empty line', type, related(resource, 'Content-Type: text/plain')],
    ['no end', type, related(resource, resource).subarray(0, -10)],
    ['no boundary', 'multipart/related', related(resource, resource)],
    ['another type', 'multipart/mixed; boundary=edge', related(resource, resource)],
  ])('is a 400 when it has %s', (_name, header, body) => {
    expect(() => parseRelated(header, body)).toThrow(expect.objectContaining({ status: 400 }));
  });
});

describe("an object's resource", () => {
  it.each(['[]', '{', '"x"', '{"name":1}', '{"metadata":{"a":1}}', '{"metadata":7}'])('is a 400: %s', (body) => {
    expect(() => parseResource(Buffer.from(body))).toThrow(expect.objectContaining({ status: 400 }));
  });

  it('is refused rather than passed over where the emulator does less than Google', () => {
    const body = Buffer.from('{"contentEncoding":"gzip"}');
    expect(() => parseResource(body)).toThrow(expect.objectContaining({ status: 501 }));
  });
});
