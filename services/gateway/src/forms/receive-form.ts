import { isUtf8 } from 'node:buffer';
import { faultOfText } from '@indelible/identifiers';
import type { FormFields } from '../http/document.ts';
import { invalid } from '../http/errors.ts';
import type { FormPart } from './part.ts';

/** A form as received: texts by name, inline data as its exact bytes, a file as what `receiveFile` made of it. */
export type ReceivedForm<File> = {
  readonly texts: ReadonlyMap<string, string>;
  readonly data: Buffer | undefined;
  readonly file: { readonly name: string; readonly content: File } | undefined;
};

const maxTextBytes = 8 * 1024;

/**
 * Reads a form's parts in whatever order they come. A file goes to `receiveFile` as it streams; when the form turns
 * out to be at fault afterwards, `dropFile` is told of it.
 * @throws HttpError 400 naming the field: unknown, given twice, not UTF-8; 413 for data beyond its limit
 */
export async function receiveForm<File>(
  parts: AsyncIterable<FormPart>,
  options: {
    /** The fields the operation's schema knows. */
    readonly fields: FormFields;
    readonly maxDataBytes: number;
    /** Counts bytes of data, which is held until the answer. @throws HttpError 503 */
    readonly hold: (bytes: number) => void;
    /** Answers the error for data beyond `maxDataBytes`. */
    readonly tooLarge: (maxBytes: number) => Error;
    readonly receiveFile: (body: AsyncIterable<Buffer>) => Promise<File>;
    readonly dropFile: (file: File) => Promise<void>;
  },
): Promise<ReceivedForm<File>> {
  const texts = new Map<string, string>();
  /** What is wrong with `file_name`, which counts with `data` alone: the form may go on without it. */
  let nameFault: Error | undefined;
  const seen = new Set<string>();
  let data: Buffer | undefined;
  let file: { name: string; content: File } | undefined;
  try {
    for await (const part of parts) {
      const { name } = part;
      const field = options.fields.get(name);
      if (field === undefined) throw invalid(name, 'unknown form field');
      if (seen.has(name)) throw invalid(name, 'given twice');
      seen.add(name);
      if (name === 'file') {
        if (part.fileName === undefined) throw invalid(name, 'must be a file of multipart/form-data, with a file name');
        file = { name: part.fileName, content: await options.receiveFile(part.body) };
        continue;
      }
      if (part.fileName !== undefined) throw invalid(name, 'must be a field, not a file');
      if (name === 'data') data = await receiveData(part, options);
      else {
        const text = await receiveText(part, field.maxLength);
        if (typeof text === 'string') texts.set(name, text);
        else if (name === 'file_name') nameFault = text;
        else throw text;
      }
    }
    if (nameFault !== undefined && data !== undefined && file === undefined) throw nameFault;
  } catch (error) {
    if (file !== undefined) await options.dropFile(file.content);
    throw error;
  }
  return { texts, data, file };
}

/** A text by the rule of all texts, or what is wrong with it. */
async function receiveText(part: FormPart, maxLength: number | undefined): Promise<string | Error> {
  // To its end, whatever it holds: the next field begins there.
  const bytes = await bytesOf(part, maxTextBytes, 'read on');
  const tooLong = bytes === undefined || (maxLength !== undefined && bytes.length > maxLength * 4);
  if (tooLong) return invalid(part.name, `must be at most ${maxLength ?? maxTextBytes} characters`);
  if (!isUtf8(bytes)) return invalid(part.name, notUtf8);
  const text = bytes.toString();
  if (maxLength !== undefined && text.length > maxLength && [...text].length > maxLength)
    return invalid(part.name, `must be at most ${maxLength} characters`);
  const fault = faultOfText(text);
  return fault === undefined ? text : invalid(part.name, fault);
}

async function receiveData(
  part: FormPart,
  { maxDataBytes, tooLarge, hold }: Pick<Parameters<typeof receiveForm>[1], 'maxDataBytes' | 'tooLarge' | 'hold'>,
): Promise<Buffer> {
  const bytes = await bytesOf(part, maxDataBytes, 'stop', hold);
  if (bytes === undefined) throw tooLarge(maxDataBytes);
  if (!isUtf8(bytes)) throw invalid(part.name, notUtf8);
  return bytes;
}

const notUtf8 = 'must be valid UTF-8';

/** Undefined when they are more than `maxBytes`. */
async function bytesOf(
  part: FormPart,
  maxBytes: number,
  beyond: 'stop' | 'read on',
  hold: (bytes: number) => void = () => {},
): Promise<Buffer | undefined> {
  const whole = part.whole?.();
  if (whole !== undefined) return whole.length > maxBytes ? undefined : whole;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of part.body) {
    size += chunk.length;
    if (size <= maxBytes) {
      hold(chunk.length);
      chunks.push(chunk);
    } else if (beyond === 'stop') return undefined;
  }
  if (size > maxBytes) return undefined;
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size);
}
