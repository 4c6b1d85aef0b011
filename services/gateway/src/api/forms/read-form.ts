import { invalid } from '../../errors/http-error.ts';
import type { ReceiveContent } from '../../use-cases/stamping/content.ts';
import type { Call } from '../edge/call.ts';
import type { ContentType } from '../edge/content-type.ts';
import type { FormPart } from './chunk-window.ts';
import { readMultipart } from './multipart.ts';
import { type FieldRules, type ReceivedForm, receiveForm, receiveWholeForm } from './receive-form.ts';
import { readUrlencoded, readWholeUrlencoded } from './urlencoded.ts';

/** Allowance for names, boundaries and part headers besides the content. */
const framingBytes = 2 ** 20;
/** An urlencoded byte takes up to three bytes. */
const encodedWidth = 3;
const maxParts = 64;
/** Most forms: a CID and a few words. */
export const smallFormBytes = 4 * 1024;

type FormCall = Pick<Call, 'account' | 'contentType' | 'body' | 'bodyBytes' | 'wholeBody' | 'hold'>;

export type FormOptions = FieldRules & { readonly maxFileBytes: number; readonly receiveContent: ReceiveContent };

/** Reads the form of a call, of either kind. @throws HttpError 400, 408, 413; what `receiveContent` throws */
export async function readForm(call: FormCall, options: FormOptions): Promise<ReceivedForm> {
  const { account, bodyBytes, hold } = call;
  if (!isMultipart(call) && bodyBytes !== undefined && bodyBytes <= smallFormBytes)
    return readSmallForm(await call.wholeBody(urlencodedBytes(options)), options);
  const maxBytes = options.maxFileBytes;
  // The file's minimum size by the announced body size, if it has no other content.
  const announced = Math.max(0, (bodyBytes ?? 0) - framingBytes);
  return receiveForm(partsOf(call, options), {
    ...options,
    hold,
    receiveFile: (body) => options.receiveContent(account, body, { maxBytes, announced }),
  });
}

/** Reads an urlencoded form of at most {@link smallFormBytes}. @throws as {@link readForm} */
export const readSmallForm = (body: Buffer, rules: FieldRules): ReceivedForm =>
  receiveWholeForm(readWholeUrlencoded(body, maxParts), rules);

const isMultipart = ({ contentType }: Pick<Call, 'contentType'>): boolean =>
  contentType?.type === 'multipart/form-data';

const urlencodedBytes = ({ maxDataBytes }: { readonly maxDataBytes: number }): number =>
  maxDataBytes * encodedWidth + framingBytes;

function partsOf(
  call: FormCall,
  limits: { readonly maxFileBytes: number; readonly maxDataBytes: number },
): AsyncIterable<FormPart> {
  const { contentType, body } = call;
  if (contentType === undefined || !isMultipart(call)) return readUrlencoded(body(urlencodedBytes(limits)), maxParts);
  const boundary = boundaryOf(contentType);
  return readMultipart(body(limits.maxFileBytes + limits.maxDataBytes + framingBytes), boundary, maxParts);
}

/** @throws HttpError 400 when a multipart/form-data comes without a usable boundary */
export function boundaryOf({ parameters }: ContentType): string {
  const boundary = parameters.get('boundary');
  if (boundary === undefined || !/^[\x21-\x7e](?:[\x20-\x7e]{0,68}[\x21-\x7e])?$/.test(boundary))
    throw invalid('Content-Type', 'multipart/form-data needs a boundary of 1 to 70 characters');
  return boundary;
}
