import { HttpError, invalid } from '../../errors/http-error.ts';

export type ContentType = { readonly type: string; readonly parameters: ReadonlyMap<string, string> };

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const mediaType = new RegExp(`^(${token}/${token})[ \\t]*(?=;|$)`);
const parameter = new RegExp(`^;[ \\t]*(?:(${token})=(?:(${token})|"((?:[^"\\\\]|\\\\.)*)")[ \\t]*)?(?=;|$)`);

/** Reads a Content-Type: type and parameter names in lower case. Undefined when it is malformed or repeats one. */
export function parseContentType(header: string): ContentType | undefined {
  const type = mediaType.exec(header.trim());
  if (type === null) return undefined;
  const parameters = new Map<string, string>();
  let rest = header.trim().slice(type[0].length);
  while (rest !== '') {
    const found = parameter.exec(rest);
    if (found === null) return undefined;
    const [all, name, plain, quoted] = found;
    if (name !== undefined) {
      if (parameters.has(name.toLowerCase())) return undefined;
      parameters.set(name.toLowerCase(), plain ?? (quoted ?? '').replace(/\\(.)/g, '$1'));
    }
    rest = rest.slice(all.length);
  }
  return { type: (type[1] as string).toLowerCase(), parameters };
}

/**
 * The request's content type, when it is one of `accepted`.
 * @throws HttpError 415 for another type or none, 400 for a charset that is not UTF-8
 */
export function requireContentType(header: string | undefined, accepted: readonly string[]): ContentType {
  const found = header === undefined ? undefined : parseContentType(header);
  if (found === undefined || !accepted.includes(found.type))
    throw new HttpError(415, 'unsupported content type', { details: `Content-Type must be ${accepted.join(' or ')}` });
  requireUtf8(found, 'Content-Type');
  return found;
}

/** @throws HttpError 400 naming `name` */
export function requireUtf8(type: ContentType, name: string): void {
  const charset = type.parameters.get('charset');
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) throw invalid(name, 'the charset must be utf-8');
}
