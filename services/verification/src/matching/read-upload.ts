import type { Readable } from 'node:stream';
import type { Hex } from '@indelible/identifiers';
import { type Static, Type } from '@sinclair/typebox';
import { Ajv } from 'ajv';
import { Address, Block } from '../api/fields.ts';

export const maxObjects = 1_000_000;

/** Rows of one COPY: bounds both the memory of an upload and how long each of its transactions lasts. */
export const rowsPerBatch = 5_000;

const maxLineBytes = 4_096;
const maxSentLength = 512;
/** The last second of the year 9999. */
const maxInstant = 253_402_300_799;
const newline = 0x0a;
const openingBrace = 0x7b;

const nullable = <Schema extends ReturnType<typeof Type.Unsafe<Hex>> | ReturnType<typeof Type.String>>(
  schema: Schema,
) => Type.Union([schema, Type.Null()]);

/** What is asked of the objects; it comes as the last line, so that a stream that was cut off is never answered. */
const Question = Type.Object(
  {
    end: Type.Literal(true),
    caller: Address,
    /** The collection's name as it is answered, and its folded form: both or neither. */
    name: nullable(Type.String({ minLength: 1 })),
    folded: nullable(Type.String({ minLength: 1 })),
    owner: nullable(Address),
    /** The newest block the caller was told of: the answer is read at it or later (I9). */
    minBlock: Type.Optional(Block),
  },
  { additionalProperties: false },
);
export type Question = Static<typeof Question>;

/** A part of an upload: rows of `submitted` in COPY's text format; the question comes with the last. */
export type UploadBatch = { readonly rows: string; readonly count: number; readonly question?: Question };

/** The upload is at fault. */
export class UploadError extends Error {
  readonly retryable = false;
  override readonly name = 'UploadError';
  readonly status: 400 | 413;
  constructor(message: string, status: 400 | 413 = 400) {
    super(message);
    this.status = status;
  }
}

const isQuestion = new Ajv().compile<Question>(Question);

/**
 * Reads an upload: a line `["<64 hex digits>",<epoch seconds>,"<timestamp as sent>"]` per object, then the question.
 * No more than a batch and a chunk is held; the source is left open when reading stops early.
 * @throws UploadError naming the line; whatever the source throws when its sender goes away
 */
export async function* readUpload(source: Readable): AsyncGenerator<UploadBatch, void, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  let position = 0;
  let rows: string[] = [];
  let question: Question | undefined;
  for await (const chunk of source.iterator({ destroyOnReturn: false })) {
    const bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      if (question !== undefined) throw new UploadError('nothing may follow the last line');
      const line = bytes.toString('utf8', start, end);
      if (bytes[start] === openingBrace) question = readQuestion(line);
      else rows.push(readObject(line, position++));
      start = end + 1;
      if (position > maxObjects) throw new UploadError(`more than ${maxObjects} objects`, 413);
      if (rows.length === rowsPerBatch) {
        yield { rows: rows.join(''), count: rows.length };
        rows = [];
      }
    }
    rest = bytes.subarray(start);
    if (rest.length > maxLineBytes) throw new UploadError(`line ${position + 1} is longer than ${maxLineBytes} bytes`);
  }
  if (question === undefined || rest.length > 0) throw new UploadError('the upload was cut off before its last line');
  if (position === 0 && question.name === null)
    throw new UploadError('objects must not be empty when no collection is named');
  yield { rows: rows.join(''), count: rows.length, question };
}

function readQuestion(line: string): Question {
  const value = parseJson(line, 'the last line');
  if (!isQuestion(value)) {
    const [fault] = isQuestion.errors ?? [];
    throw new UploadError(`the last line${fault?.instancePath ?? ''} ${fault?.message ?? 'is invalid'}`);
  }
  if ((value.name === null) !== (value.folded === null))
    throw new UploadError('the last line must have name and folded both or neither');
  return value;
}

const cidDigits = /^[0-9a-f]{64}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: Postgres stores no NUL
const unstorable = /\u0000/;

function readObject(line: string, position: number): string {
  const place = `line ${position + 1}`;
  const value = parseJson(line, place);
  if (!Array.isArray(value) || value.length !== 3) throw new UploadError(`${place} is no object of three values`);
  const [cid, instant, sent]: unknown[] = value;
  if (typeof cid !== 'string' || !cidDigits.test(cid)) throw new UploadError(`${place} has no CID`);
  if (typeof instant !== 'number' || !Number.isInteger(instant) || instant < 0 || instant > maxInstant)
    throw new UploadError(`${place} has no instant`);
  if (typeof sent !== 'string' || sent.length > maxSentLength || unstorable.test(sent) || !sent.isWellFormed())
    throw new UploadError(`${place} has no timestamp`);
  return `${position}\t\\\\x${cid}\t${instant}\t${escapeCopy(sent)}\n`;
}

function parseJson(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new UploadError(`${place} is no JSON`);
  }
}

const copyEscapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** COPY's text format gives four characters a meaning. */
const escapeCopy = (text: string): string => text.replace(/[\\\t\n\r]/g, (character) => copyEscapes[character] ?? '');
