import { isUtf8 } from 'node:buffer';
import { HttpError, invalid } from '../../errors/http-error.ts';
import { decodeUrlencoded } from '../forms/percent.ts';

/**
 * Reads a query string: parameters by name.
 * @throws HttpError 400 for a broken encoding, invalid UTF-8, or a parameter given twice
 */
export function parseQuery(text: string): Record<string, string> {
  const query: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const piece of text.split('&')) {
    if (piece === '') continue;
    const equals = piece.indexOf('=');
    const name = decode(equals < 0 ? piece : piece.slice(0, equals), 'query');
    const value = equals < 0 ? '' : decode(piece.slice(equals + 1), name);
    if (name in query) throw invalid(name, 'given twice');
    query[name] = value;
  }
  return query;
}

function decode(text: string, name: string): string {
  const bytes = decodeUrlencoded(Buffer.from(text, 'latin1'));
  if (bytes === undefined) throw invalid(name, 'broken percent-encoding');
  if (!isUtf8(bytes)) throw new HttpError(400, `${name}: not valid UTF-8`);
  return bytes.toString('utf8');
}
