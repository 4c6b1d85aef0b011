import { isUtf8 } from 'node:buffer';
import { faultOfText } from '@indelible/identifiers';
import { invalid, tooLarge } from '../../errors/http-error.ts';
import type { ReceivedContent } from '../../use-cases/stamping/content.ts';
import type { FormFields } from '../edge/document.ts';
import type { FormPart } from './chunk-window.ts';
import type { WholeField } from './urlencoded.ts';

/** A form as received: texts by name, inline data as its exact bytes. */
export type ReceivedForm = {
  readonly texts: ReadonlyMap<string, string>;
  readonly data: Buffer | undefined;
  readonly file: { readonly name: string; readonly content: ReceivedContent } | undefined;
};

const maxTextBytes = 8 * 1024;

/** How the fields of a form are received. */
export type FieldRules = {
  /** The fields the operation's schema knows. */
  readonly fields: FormFields;
  readonly maxDataBytes: number;
};

/** Collects the fields of a form and checks their rules. Every method throws HttpError 400 naming the field. */
class FormInMaking {
  readonly #rules: FieldRules;
  readonly #seen = new Set<string>();
  readonly #texts = new Map<string, string>();
  /** The error of `file_name`, which matters only with `data`. */
  #nameFault: Error | undefined;
  #data: Buffer | undefined;
  #file: ReceivedForm['file'];

  constructor(rules: FieldRules) {
    this.#rules = rules;
  }
  /** Begins a field, which must be known, given once, and of its kind. */
  open(name: string, fileName: string | undefined): void {
    if (!this.#rules.fields.has(name)) throw invalid(name, 'unknown form field');
    if (this.#seen.has(name)) throw invalid(name, 'given twice');
    this.#seen.add(name);
    if (name === 'file' && fileName === undefined)
      throw invalid(name, 'must be a file of multipart/form-data, with a file name');
    if (name !== 'file' && fileName !== undefined) throw invalid(name, 'must be a field, not a file');
  }
  /** @param bytes undefined: longer than any text may be */
  takeText(name: string, bytes: Buffer | undefined): void {
    const text = textOf(name, bytes, this.#rules.fields.get(name)?.maxLength);
    if (typeof text === 'string') this.#texts.set(name, text);
    else if (name === 'file_name') this.#nameFault = text;
    else throw text;
  }
  /** @param bytes undefined: more than `maxDataBytes`. @throws also HttpError 413 */
  takeData(bytes: Buffer | undefined): void {
    if (bytes === undefined || bytes.length > this.#rules.maxDataBytes) throw tooLarge(this.#rules.maxDataBytes);
    if (!isUtf8(bytes)) throw invalid('data', notUtf8);
    this.#data = bytes;
  }
  takeFile(file: NonNullable<ReceivedForm['file']>): void {
    this.#file = file;
  }
  get file(): ReceivedForm['file'] {
    return this.#file;
  }
  /** The form with its last field. */
  whole(): ReceivedForm {
    if (this.#nameFault !== undefined && this.#data !== undefined && this.#file === undefined) throw this.#nameFault;
    return { texts: this.#texts, data: this.#data, file: this.#file };
  }
}

/**
 * Reads a form's parts in any order. A file goes to `receiveFile` as it streams; if the form is invalid
 * afterwards, its content is discarded.
 * @throws HttpError 400 naming the field: unknown, given twice, not UTF-8; 413 for data over its limit
 */
export async function receiveForm(
  parts: AsyncIterable<FormPart>,
  options: FieldRules & {
    /** Counts bytes of data, which are held until the response. @throws HttpError 503 */
    readonly hold: (bytes: number) => void;
    readonly receiveFile: (body: AsyncIterable<Buffer>) => Promise<ReceivedContent>;
  },
): Promise<ReceivedForm> {
  const form = new FormInMaking(options);
  try {
    for await (const { name, fileName, body } of parts) {
      form.open(name, fileName);
      if (fileName !== undefined) form.takeFile({ name: fileName, content: await options.receiveFile(body) });
      else if (name === 'data') form.takeData(await bytesOf(body, options.maxDataBytes, 'stop', options.hold));
      // Read to its end, where the next field begins.
      else form.takeText(name, await bytesOf(body, maxTextBytes, 'read on'));
    }
    return form.whole();
  } catch (error) {
    await form.file?.content.discard();
    throw error;
  }
}

/** The same for a form in memory, which cannot have a file. @throws as {@link receiveForm} */
export function receiveWholeForm(fields: Iterable<WholeField>, rules: FieldRules): ReceivedForm {
  const form = new FormInMaking(rules);
  for (const field of fields) {
    const { name } = field;
    form.open(name, undefined);
    if (name === 'data') form.takeData(field.value());
    else form.takeText(name, field.value());
  }
  return form.whole();
}

/** A text by the rule of all texts. @throws HttpError 400 */
function textOf(name: string, bytes: Buffer | undefined, maxLength: number | undefined): string | Error {
  const most = maxLength === undefined ? maxTextBytes : Math.min(maxTextBytes, maxLength * 4);
  if (bytes === undefined || bytes.length > most)
    return invalid(name, `must be at most ${maxLength ?? maxTextBytes} characters`);
  if (!isUtf8(bytes)) return invalid(name, notUtf8);
  const text = bytes.toString();
  if (maxLength !== undefined && text.length > maxLength && [...text].length > maxLength)
    return invalid(name, `must be at most ${maxLength} characters`);
  const fault = faultOfText(text);
  return fault === undefined ? text : invalid(name, fault);
}

const notUtf8 = 'must be valid UTF-8';

/** Undefined when they are more than `maxBytes`. */
async function bytesOf(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  beyond: 'stop' | 'read on',
  hold: (bytes: number) => void = () => {},
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size <= maxBytes) {
      hold(chunk.length);
      chunks.push(chunk);
    } else if (beyond === 'stop') return undefined;
  }
  if (size > maxBytes) return undefined;
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size);
}
