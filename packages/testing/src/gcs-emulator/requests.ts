import type { Checksums } from './checksums.ts';
import type { Description } from './objects.ts';
import { invalid, notImplemented, Refusal } from './refusal.ts';

/** No request may be longer; longer content must come in several. */
const MAX_BODY = 16 * 1024 * 1024;

/** The whole body. Throws a 413 over the limit, and the stream's own error if the client disconnects. */
export async function bodyOf(incoming: AsyncIterable<Buffer>, maxBytes = MAX_BODY): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size > maxBytes) throw new Refusal(413, 'uploadTooLarge', 'Payload Too Large', { connection: 'close' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** A client's description of an object, with claimed checksums. */
export type Claims = {
  readonly name?: string;
  readonly described: Partial<Description>;
  readonly checksums: Partial<Checksums>;
};

/** Reads an object's resource. Throws a 400 if invalid, and a 501 for an unsupported field. */
export function parseResource(body: Buffer): Claims {
  const resource = parseJson(body);
  for (const field of Object.keys(resource))
    if (!['name', 'bucket', 'contentType', 'metadata', 'crc32c', 'md5Hash'].includes(field))
      throw notImplemented(`an object's ${field}`);
  const { metadata } = resource;
  const [name, contentType] = [textOf(resource, 'name'), textOf(resource, 'contentType')];
  const [crc32c, md5Hash] = [textOf(resource, 'crc32c'), textOf(resource, 'md5Hash')];
  return {
    ...(name === undefined ? {} : { name }),
    described: {
      ...(contentType === undefined ? {} : { contentType }),
      ...(metadata === undefined ? {} : { metadata: parseMetadata(metadata) }),
    },
    checksums: { ...(crc32c === undefined ? {} : { crc32c }), ...(md5Hash === undefined ? {} : { md5Hash }) },
  };
}

/** An object of JSON; an empty body is an empty one. */
export function parseJson(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = body.length === 0 ? {} : JSON.parse(body.toString());
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {}
  throw new Refusal(400, 'parseError', 'Parse Error');
}

export function textOf(resource: Record<string, unknown>, field: string): string | undefined {
  const value = resource[field];
  if (value !== undefined && typeof value !== 'string') throw invalid(`Invalid value for: ${field}`);
  return value;
}

function parseMetadata(value: unknown): Record<string, string> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : undefined;
  if (entries?.every((entry): entry is [string, string] => typeof entry[1] === 'string') !== true)
    throw invalid('Invalid value for: metadata');
  // Google's bound for custom metadata.
  if (Buffer.byteLength(JSON.stringify(value)) > 8_192) throw invalid('The custom metadata is too large');
  return Object.fromEntries(entries);
}

/** The two parts of `multipart/related`: the resource and the content with its type. Throws a 400 for anything else. */
export function parseRelated(type: string, body: Buffer): { resource: Buffer; contentType?: string; content: Buffer } {
  const boundary = /^multipart\/related\s*;.*boundary="?([^";\s]{1,70})"?/i.exec(type)?.[1];
  if (boundary === undefined) throw invalid('Missing multipart boundary');
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // With a line end before it, the first delimiter is like the others.
  const whole = Buffer.concat([Buffer.from('\r\n'), body]);
  const parts: Buffer[] = [];
  let start = whole.indexOf(delimiter);
  while (start >= 0 && whole.subarray(start + delimiter.length, start + delimiter.length + 2).toString() !== '--') {
    const end = whole.indexOf(delimiter, start + delimiter.length);
    if (end < 0) throw invalid('Malformed multipart body');
    parts.push(whole.subarray(start + delimiter.length, end));
    start = end;
  }
  const [resource, media] = parts.map(splitPart);
  if (resource === undefined || media === undefined || parts.length !== 2) throw invalid('Malformed multipart body');
  const contentType = /^content-type:[ \t]*([^\r\n]+)/im.exec(media.head)?.[1]?.trim();
  return { resource: resource.content, ...(contentType ? { contentType } : {}), content: media.content };
}

function splitPart(part: Buffer): { head: string; content: Buffer } {
  const end = part.indexOf('\r\n\r\n');
  if (end < 0) throw invalid('Malformed multipart body');
  return { head: part.subarray(0, end).toString('latin1'), content: part.subarray(end + 4) };
}
