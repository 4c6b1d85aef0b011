import { isUtf8 } from 'node:buffer';
import { HttpError, invalid } from '../../errors/http-error.ts';

/**
 * Reads strict JSON: UTF-8, no key twice in an object, no lone surrogates.
 * @throws HttpError 400
 */
export function parseStrictJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new HttpError(400, 'the body is not valid UTF-8');
  const text = body.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HttpError(400, 'the body is not valid JSON');
  }
  checkTokens(text);
  return value;
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/** Walks the tokens of a text that is known to be JSON. */
function checkTokens(text: string): void {
  /** The keys read of each open object, the last one with its value still to come; null for an open array. */
  const open: (Set<string> | null)[] = [];
  let keyNext = false;
  for (const [token] of text.matchAll(tokens)) {
    switch (token) {
      case '{':
        open.push(new Set());
        keyNext = true;
        break;
      case '[':
        open.push(null);
        keyNext = false;
        break;
      case '}':
      case ']':
        open.pop();
        keyNext = false;
        break;
      case ',':
        keyNext = open.at(-1) !== null;
        break;
      case ':':
        keyNext = false;
        break;
      default:
        checkString(token, keyNext ? open.at(-1) : undefined, open);
    }
  }
}

function checkString(token: string, keys: Set<string> | null | undefined, open: readonly (Set<string> | null)[]): void {
  if (keys === undefined && !token.includes('\\u')) return;
  const text = token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
  if (!text.isWellFormed())
    throw invalid(keys === undefined ? fieldIn(open) : 'a key of the body', 'holds a lone surrogate');
  if (keys === undefined || keys === null) return;
  if (keys.has(text)) throw invalid(text, 'given twice');
  keys.add(text);
}

/** The field whose value is read: the last key of the innermost object; an array's is that of the array. */
const fieldIn = (open: readonly (Set<string> | null)[]): string =>
  [...(open.findLast((keys) => keys !== null) ?? [])].at(-1) ?? 'body';
