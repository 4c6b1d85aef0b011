import { createObjectList, type ObjectList } from '../src/api/verify-requests/object-list.ts';
import type { RequestedCollection } from '../src/api/verify-requests/requested-collection.ts';
import { HttpError } from '../src/errors/http-error.ts';

/** For tests of the readers: bodies in pieces, and what comes of them. */
export const cidDigits = '644bcc7e564373040999aac89e7622f3ca71fba1d972fd94a31c3bfbf24e3938';
export const cid = `0x${cidDigits}`;

export function inPieces(bytes: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}
export const byteByByte = (bytes: Buffer): Buffer[] => inPieces(bytes, 1);

type Reader = (
  chunks: AsyncIterable<Buffer>,
  objects: ObjectList,
) => AsyncGenerator<string, RequestedCollection, undefined>;
type Outcome =
  | { readonly lines: readonly string[]; readonly requested: RequestedCollection }
  | { readonly status: number; readonly message: string };

/** Reads a body to its end: its lines and what was requested, or the status and text of the refusal. */
export async function outcomeOf(
  read: Reader,
  body: string | Buffer | readonly Buffer[],
  {
    size = 65_536,
    maxObjects = 1_000,
  }: { readonly size?: number | undefined; readonly maxObjects?: number | undefined } = {},
): Promise<Outcome> {
  const pieces = typeof body === 'string' || Buffer.isBuffer(body) ? inPieces(Buffer.from(body), size) : body;
  async function* chunks(): AsyncGenerator<Buffer> {
    yield* pieces;
  }
  const reader = read(chunks(), createObjectList(maxObjects));
  let lines = '';
  try {
    for (;;) {
      const next = await reader.next();
      if (next.done === true) return { lines: lines.split('\n').slice(0, -1), requested: next.value };
      lines += next.value;
    }
  } catch (error) {
    if (error instanceof HttpError) return { status: error.status, message: `${error.message} ${error.details ?? ''}` };
    throw error;
  }
}
