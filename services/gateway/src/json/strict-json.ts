import { isUtf8 } from 'node:buffer';
import { HttpError, invalid } from '../errors/http-error.ts';
import { createJsonScan, type JsonVisitor, type Scalar } from './json-scan.ts';

/**
 * Parses strict JSON in memory: UTF-8, no duplicate keys, no lone surrogates.
 * @throws HttpError 400
 */
export function parseStrictJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new HttpError(400, 'the body is not valid UTF-8');
  const text = body.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw notJson();
  }
  // In UTF-8, only an escape can be a lone surrogate.
  const scalar = text.includes('\\u') ? () => {} : undefined;
  const walk = createStrictWalk({ open() {}, close() {}, key() {}, scalar }, Number.POSITIVE_INFINITY);
  walk.write(body);
  walk.end();
  return value;
}

/** Of one value, or of the white space between two. */
const maxValueBytes = 256 * 1024;

/**
 * Walks strict JSON that arrives in pieces, cut anywhere. Memory is bounded: one value, and the keys of the open
 * objects (a visitor that takes any keys bounds those). The bytes must be UTF-8.
 * @param maxDepth how many containers may be open
 * @throws HttpError 400; what the visitor throws
 */
export function createStrictWalk(visitor: JsonVisitor, maxDepth: number): { write(chunk: Buffer): void; end(): void } {
  /** The keys read of each open object, the last still without value; null for an open array. */
  const open: (Set<string> | null)[] = [];
  let met = 0;
  let bytesWithoutAny = 0;

  const scan = createJsonScan({
    open(container) {
      met++;
      if (open.length === maxDepth) throw new HttpError(400, `the body nests deeper than ${maxDepth} levels`);
      open.push(container === 'object' ? new Set() : null);
      visitor.open(container);
    },
    close() {
      met++;
      open.pop();
      visitor.close();
    },
    key(name) {
      met++;
      if (!name.isWellFormed()) throw invalid('a key of the body', 'holds a lone surrogate');
      const keys = open.at(-1) as Set<string>;
      if (keys.has(name)) throw invalid(name, 'given twice');
      keys.add(name);
      visitor.key(name);
    },
    scalar: visitor.scalar && takeScalar,
  });

  function takeScalar(value: Scalar): void {
    met++;
    if (typeof value === 'string' && !value.isWellFormed()) throw invalid(fieldIn(open), 'holds a lone surrogate');
    visitor.scalar?.(value);
  }

  return {
    write(chunk) {
      const before = met;
      if (!scan.write(chunk)) throw notJson();
      bytesWithoutAny = met === before ? bytesWithoutAny + chunk.length : 0;
      if (bytesWithoutAny > maxValueBytes)
        throw new HttpError(400, `the body holds a value of more than ${maxValueBytes} bytes`);
    },
    end() {
      if (scan.end() === undefined) throw notJson();
    },
  };
}

const notJson = (): HttpError => new HttpError(400, 'the body is not valid JSON');

/** Name of the field being read: the innermost object's last key; for an array, the array's own. */
const fieldIn = (open: readonly (Set<string> | null)[]): string =>
  [...(open.findLast((keys) => keys !== null) ?? [])].at(-1) ?? 'body';
