import { isUtf8 } from 'node:buffer';
import { HttpError, invalid } from '../../errors/http-error.ts';
import { parseContentType, requireUtf8 } from '../edge/content-type.ts';

export type PartHeaders = { readonly name: string; readonly fileName: string | undefined };

/**
 * Reads a part's headers. A part without `form-data` and a name, or with a transfer encoding or charset that would
 * change its bytes, is refused: nothing is skipped silently.
 * @throws HttpError 400 naming the part where it has a name
 */
export function readPartHeaders(block: Buffer): PartHeaders {
  if (!isUtf8(block)) throw malformed('the headers of a part are not valid UTF-8');
  const headers = new Map<string, string>();
  for (const line of block.toString('utf8').split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    if (colon < 1 || !/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) throw malformed('a header of a part is malformed');
    if (headers.has(name)) throw malformed(`a part has the header ${name} twice`);
    headers.set(name, line.slice(colon + 1).trim());
  }
  const disposition = parseDisposition(headers.get('content-disposition') ?? '');
  const { name } = disposition;
  const encoding = headers.get('content-transfer-encoding');
  if (encoding !== undefined && !/^(7bit|8bit|binary)$/i.test(encoding))
    throw invalid(name, 'Content-Transfer-Encoding must be binary, 8bit or 7bit');
  const contentType = headers.get('content-type');
  if (contentType !== undefined && disposition.fileName === undefined) {
    const type = parseContentType(contentType);
    if (type === undefined) throw invalid(name, 'its Content-Type is malformed');
    requireUtf8(type, name);
  }
  return disposition;
}

const malformed = (details: string): HttpError => new HttpError(400, 'malformed multipart body', { details });

const parameter = /^;\s*([a-z]+\*?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";]+))\s*(?=;|$)/i;

function parseDisposition(header: string): PartHeaders {
  const type = /^form-data\s*(?=;|$)/i.exec(header);
  if (type === null) throw malformed('a part has no Content-Disposition of form-data');
  const parameters = new Map<string, string>();
  let rest = header.slice(type[0].length);
  while (rest !== '') {
    const found = parameter.exec(rest);
    if (found === null) throw malformed('a Content-Disposition is malformed');
    const [all, name, quoted, plain] = found;
    const key = (name as string).toLowerCase();
    if (parameters.has(key)) throw malformed(`a Content-Disposition has ${key} twice`);
    // Only backslashes before a quote or a backslash escape: some clients send paths unescaped.
    parameters.set(key, plain ?? (quoted as string).replace(/\\(["\\])/g, '$1'));
    rest = rest.slice(all.length);
  }
  const name = parameters.get('name');
  if (name === undefined || name === '') throw malformed('a part has no name');
  const extended = parameters.get('filename*');
  return { name, fileName: extended === undefined ? parameters.get('filename') : decodeExtended(extended, name) };
}

/** RFC 5987: `UTF-8''percent-encoded`. */
function decodeExtended(value: string, name: string): string {
  const encoded = /^utf-8'[^']*'([^']*)$/i.exec(value)?.[1];
  try {
    if (encoded !== undefined) return decodeURIComponent(encoded);
  } catch {
    // Falls through to the refusal: a broken escape, or bytes that are no UTF-8.
  }
  throw invalid(name, 'its filename* must be in UTF-8');
}
