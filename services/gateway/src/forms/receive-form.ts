import { isUtf8 } from 'node:buffer';
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
    /** The names the operation's schema knows. */
    readonly fields: ReadonlySet<string>;
    readonly maxDataBytes: number;
    /** Answers the error for data beyond `maxDataBytes`. */
    readonly tooLarge: (maxBytes: number) => Error;
    readonly receiveFile: (body: AsyncIterable<Buffer>) => Promise<File>;
    readonly dropFile: (file: File) => Promise<void>;
  },
): Promise<ReceivedForm<File>> {
  const texts = new Map<string, string>();
  const seen = new Set<string>();
  let data: Buffer | undefined;
  let file: { name: string; content: File } | undefined;
  try {
    for await (const part of parts) {
      const { name } = part;
      if (!options.fields.has(name)) throw invalid(name, 'unknown form field');
      if (seen.has(name)) throw invalid(name, 'given twice');
      seen.add(name);
      if (name === 'file') {
        if (part.fileName === undefined) throw invalid(name, 'must be a file of multipart/form-data, with a file name');
        file = { name: part.fileName, content: await options.receiveFile(part.body) };
        continue;
      }
      if (part.fileName !== undefined) throw invalid(name, 'must be a field, not a file');
      if (name === 'data') data = await collect(part, options.maxDataBytes, options.tooLarge);
      else
        texts.set(
          name,
          (await collect(part, maxTextBytes, () => invalid(name, `must be at most ${maxTextBytes} bytes`))).toString(),
        );
    }
  } catch (error) {
    if (file !== undefined) await options.dropFile(file.content);
    throw error;
  }
  return { texts, data, file };
}

async function collect(part: FormPart, maxBytes: number, tooLarge: (maxBytes: number) => Error): Promise<Buffer> {
  const whole = part.whole?.();
  if (whole !== undefined) return checked(part, whole, maxBytes, tooLarge);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of part.body) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return checked(part, chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks), maxBytes, tooLarge);
}

function checked({ name }: FormPart, bytes: Buffer, maxBytes: number, tooLarge: (maxBytes: number) => Error): Buffer {
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  if (!isUtf8(bytes)) throw invalid(name, 'must be valid UTF-8');
  return bytes;
}
