import type { Readable } from 'node:stream';
import type { Hex } from '@indelible/identifiers';
import { bytesPassed } from '@indelible/service-runtime';
import { type Static, Type } from '@sinclair/typebox';
import { Ajv } from 'ajv';
import { Address, Cid, MinBlock } from '../fields.ts';
import { createSubmittedRows, type SubmittedRows } from './submitted-rows.ts';

const maxObjects = 1_000_000;

/** Size of a batch of rows: bounds the memory of an upload. */
const batchBytes = 48 * 1024;

const maxLineBytes = 4_096;
const maxSentLength = 512;
/** The last second of the year 9999. */
const maxInstant = 253_402_300_799;
const newline = 0x0a;
const openingBrace = 0x7b;

const nullable = <Schema extends ReturnType<typeof Type.Unsafe<Hex>> | ReturnType<typeof Type.String>>(
  schema: Schema,
) => Type.Union([schema, Type.Null()]);

/** The question about the objects; it is the last line, so that a truncated stream never gets a result. */
const LastLine = Type.Object(
  {
    end: Type.Literal(true),
    /** The collection's name for the response, and its folded form: both or neither. */
    name: nullable(Type.String({ minLength: 1 })),
    folded: nullable(Type.String({ minLength: 1 })),
    owner: nullable(Address),
    /** False omits the receipts that match no object from the response. */
    unmatchedReceipts: Type.Optional(Type.Boolean()),
    /** The newest block in a response to the caller: the result must include it (I9). */
    minBlock: Type.Optional(MinBlock),
    /** CID of the caller's newest collection that a response may have named (I9). */
    minCollection: Type.Optional(Cid),
  },
  { additionalProperties: false },
);
export type LastLine = Static<typeof LastLine>;
/** The question, and the caller. */
export type Question = LastLine & { readonly caller: Hex };

/** A part of an upload: bare rows of `submitted` in COPY's binary format. The next part overwrites its bytes. */
export type UploadBatch = {
  readonly rows: Buffer;
  readonly count: number;
  /** With the last part. */
  readonly lastLine?: LastLine;
};

/** The upload is invalid. */
export class UploadError extends Error {
  readonly retryable = false;
  override readonly name = 'UploadError';
  readonly status: 400 | 413;
  constructor(message: string, status: 400 | 413 = 400) {
    super(message);
    this.status = status;
  }
}

const isLastLine = new Ajv().compile<LastLine>(LastLine);

/**
 * Reads an upload: a line `["<64 hex digits>",<epoch seconds>,"<timestamp as sent>"]` per object, then the question.
 * Holds at most a batch and a chunk; leaves the source open when reading stops early.
 * @throws UploadError
 */
export async function* readUpload(source: Readable): AsyncGenerator<UploadBatch, void, undefined> {
  const rows = createSubmittedRows();
  let position = 0;
  let lastLine: LastLine | undefined;

  function take(bytes: Buffer, start: number, end: number): void {
    if (lastLine !== undefined) throw new UploadError('nothing may follow the last line');
    if (bytes[start] === openingBrace) lastLine = readLastLine(bytes.toString('utf8', start, end));
    else if (!addPlainLine(rows, bytes, start, end, position++))
      addLine(rows, bytes.toString('utf8', start, end), position - 1);
    if (position > maxObjects) throw new UploadError(`more than ${maxObjects} objects`, 413);
  }
  const batch = (): UploadBatch => ({ rows: rows.rows(), count: rows.count() });

  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      if (rest.length > 0) {
        const line: Buffer = Buffer.concat([rest, chunk.subarray(0, end)]);
        rest = Buffer.alloc(0);
        take(line, 0, line.length);
      } else take(chunk, start, end);
      start = end + 1;
      if (rows.size() < batchBytes) continue;
      yield batch();
      rows.clear();
    }
    if (start < chunk.length) rest = Buffer.concat([rest, chunk.subarray(start)]);
    bytesPassed(chunk.length);
    if (rest.length > maxLineBytes) throw new UploadError(`line ${position + 1} is longer than ${maxLineBytes} bytes`);
  }
  if (lastLine === undefined || rest.length > 0) throw new UploadError('the upload was cut off before its last line');
  if (position === 0 && lastLine.name === null)
    throw new UploadError('objects must not be empty when no collection is named');
  yield { ...batch(), lastLine };
}

function readLastLine(line: string): LastLine {
  const value = parseJson(line, 'the last line');
  if (!isLastLine(value)) {
    const [fault] = isLastLine.errors ?? [];
    throw new UploadError(`the last line${fault?.instancePath ?? ''} ${fault?.message ?? 'is invalid'}`);
  }
  if ((value.name === null) !== (value.folded === null))
    throw new UploadError('the last line must have name and folded both or neither');
  return value;
}

const cidDigits = /^[0-9a-f]{64}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: Postgres stores no NUL
const unstorable = /\u0000/;

/** Offsets in a line `["<64 hex digits>",<epoch seconds>,"`. */
const cidAt = 2;
const instantAt = cidAt + 64 + 2;
const comma = 0x2c;
const quote = 0x22;
const backslash = 0x5c;
const openingBracket = 0x5b;
const closingBracket = 0x5d;
const zero = 0x30;
const maxInstantDigits = 12;

/**
 * Adds the object of a line in exactly this form, without white space, and with printable ASCII text without escapes:
 * nearly all lines. As JSON, such a line means the same.
 * @returns false, and adds nothing, for any other line
 */
function addPlainLine(rows: SubmittedRows, bytes: Buffer, start: number, end: number, position: number): boolean {
  if (bytes[start] !== openingBracket || bytes[start + 1] !== quote) return false;
  if (bytes[start + instantAt - 2] !== quote || bytes[start + instantAt - 1] !== comma) return false;
  let at = start + instantAt;
  const firstDigit = at;
  let instant = 0;
  for (; at < end; at++) {
    const digit = (bytes[at] as number) - zero;
    if (digit < 0 || digit > 9) break;
    instant = instant * 10 + digit;
    if (at - firstDigit >= maxInstantDigits) return false;
  }
  if (at === firstDigit || (bytes[firstDigit] === zero && at > firstDigit + 1) || instant > maxInstant) return false;
  if (bytes[at] !== comma || bytes[at + 1] !== quote) return false;
  const textAt = at + 2;
  const textEnd = end - 2;
  if (textEnd < textAt || textEnd - textAt > maxSentLength) return false;
  if (bytes[textEnd] !== quote || bytes[textEnd + 1] !== closingBracket) return false;
  for (at = textAt; at < textEnd; at++) {
    const byte = bytes[at] as number;
    if (byte < 0x20 || byte > 0x7e || byte === quote || byte === backslash) return false;
  }
  return rows.addFrom(bytes, position, start + cidAt, instant, textAt, textEnd);
}

/** Adds the object of any line. */
function addLine(rows: SubmittedRows, line: string, position: number): void {
  const place = `line ${position + 1}`;
  const value = parseJson(line, place);
  if (!Array.isArray(value) || value.length !== 3) throw new UploadError(`${place} is no object of three values`);
  const [cid, instant, sent]: unknown[] = value;
  if (typeof cid !== 'string' || !cidDigits.test(cid)) throw new UploadError(`${place} has no CID`);
  if (typeof instant !== 'number' || !Number.isInteger(instant) || instant < 0 || instant > maxInstant)
    throw new UploadError(`${place} has no instant`);
  if (typeof sent !== 'string' || sent.length > maxSentLength || unstorable.test(sent) || !sent.isWellFormed())
    throw new UploadError(`${place} has no timestamp`);
  rows.add(position, cid, instant, sent);
}

function parseJson(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new UploadError(`${place} is no JSON`);
  }
}
