import { isWholeWord, nextWordState, wordStart } from './json-word.ts';

export type Scalar = string | number | boolean | null;

/** Receives the tokens of a scan, in document order. Throwing ends the scan. */
export type JsonVisitor = {
  open(container: 'object' | 'array'): void;
  close(): void;
  key(name: string): void;
  /** Undefined: values are not made. */
  readonly scalar: ((value: Scalar) => void) | undefined;
};

export type JsonScan = {
  /** Scans the next piece of the text; false when it is not JSON. */
  write(chunk: Buffer): boolean;
  /** What the whole text is; undefined when it is not JSON. */
  end(): 'container' | 'scalar' | undefined;
};

/** What may come next in a JSON text. */
type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing';

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
export const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
const nothing = Buffer.alloc(0);
const afterBackslash = new Set([...'"\\/bfnrtu'].map((character) => character.charCodeAt(0)));
const zero = 0x30;
const isDigit = (byte: number): boolean => byte >= zero && byte <= 0x39;
const isHexDigit = (byte: number): boolean =>
  isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);

/** Index of the next quote, backslash or control character; the length if there is none. */
function nextSpecial(data: Buffer, from: number): number {
  const { length } = data;
  for (let at = from; at < length; at++) {
    const byte = data[at] as number;
    if (byte === quote || byte === backslash || byte < 0x20) return at;
  }
  return length;
}

/**
 * Scans a JSON text that arrives in pieces, cut anywhere, and accepts what `JSON.parse` accepts. The bytes must be
 * UTF-8. Holds one bit for each open container, and the bytes of a cut key or value if the visitor takes it. Values
 * that no visitor takes are not decoded.
 */
export function createJsonScan(visitor?: JsonVisitor): JsonScan {
  /** One bit for each open container, outermost first: set for an object. */
  let containers = new Uint8Array(16);
  let depth = 0;
  let isContainer = false;
  let expected: Expected = 'value';
  /** The current piece, and the position in it. */
  let data: Buffer = Buffer.alloc(0);
  let at = 0;
  let inText: 'key' | 'value' | undefined;
  /** Whether the open text has escapes. */
  let hasEscapes = false;
  /** Earlier pieces' part of the open text or word. */
  let held: Buffer = nothing;
  let heldLength = 0;
  /** What is left of an escape: one character after a backslash, or the hex digits of `\u`. */
  let escapeLeft: 'character' | 0 | 1 | 2 | 3 | 4 = 0;
  /** In a number, true, false or null: its state; 0 outside. */
  let wordState = 0;

  const expectsValue = (): boolean => expected === 'value' || expected === 'value or end';
  const inObject = (): boolean => ((containers[(depth - 1) >> 3] as number) & (1 << ((depth - 1) & 7))) !== 0;

  function open(isObject: boolean): void {
    if (depth === containers.length * 8) {
      const larger = new Uint8Array(containers.length * 2);
      larger.set(containers);
      containers = larger;
    }
    const bit = 1 << (depth & 7);
    const byte = containers[depth >> 3] as number;
    containers[depth >> 3] = isObject ? byte | bit : byte & ~bit;
    depth++;
    isContainer = true;
    expected = isObject ? 'key or end' : 'value or end';
    visitor?.open(isObject ? 'object' : 'array');
  }

  function close(isObject: boolean): boolean {
    if (depth === 0 || inObject() !== isObject) return false;
    if (expected !== 'comma or end' && expected !== (isObject ? 'key or end' : 'value or end')) return false;
    depth--;
    afterValue();
    visitor?.close();
    return true;
  }

  function afterValue(): void {
    expected = depth === 0 ? 'nothing' : 'comma or end';
  }

  /** Continues a text, to its end or the piece's; false when invalid. */
  function takeText(): boolean {
    const start = at;
    while (at < data.length) {
      if (escapeLeft !== 0) {
        if (!takeEscaped(data[at] as number)) return false;
      } else {
        at = nextSpecial(data, at);
        const byte = data[at];
        if (byte === quote) {
          endText(start);
          at++;
          return true;
        }
        if (byte === undefined) break;
        if (byte !== backslash) return false;
        escapeLeft = 'character';
        hasEscapes = true;
      }
      at++;
    }
    if (inText === 'key' ? visitor !== undefined : visitor?.scalar !== undefined) hold(start);
    return true;
  }

  function takeEscaped(byte: number): boolean {
    if (escapeLeft === 'character') {
      escapeLeft = byte === 0x75 ? 4 : 0;
      return afterBackslash.has(byte);
    }
    escapeLeft = ((escapeLeft as number) - 1) as 0 | 1 | 2 | 3;
    return isHexDigit(byte);
  }

  function endText(start: number): void {
    const isKey = inText === 'key';
    inText = undefined;
    if (isKey) expected = 'colon';
    else afterValue();
    if (visitor !== undefined && isKey) visitor.key(textFrom(start));
    else visitor?.scalar?.(textFrom(start));
    hasEscapes = false;
  }

  /** Copies the rest of the piece, so that the piece itself is not retained. */
  function hold(start: number): void {
    const length = heldLength + at - start;
    if (length > held.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * held.length, 64));
      held.copy(larger, 0, 0, heldLength);
      held = larger;
    }
    data.copy(held, heldLength, start, at);
    heldLength = length;
  }

  function rawFrom(start: number): string {
    if (heldLength === 0) return data.toString('utf8', start, at);
    hold(start);
    const raw = held.toString('utf8', 0, heldLength);
    held = nothing;
    heldLength = 0;
    return raw;
  }

  function textFrom(start: number): string {
    const raw = rawFrom(start);
    return hasEscapes ? (JSON.parse(`"${raw}"`) as string) : raw;
  }

  /** Continues a number, true, false or null, and in an array those after it; false when one is invalid. */
  function takeWord(): boolean {
    const bytes = data;
    const inArray = depth > 0 && !inObject();
    let start = at;
    let here = at;
    let state = wordState === 0 ? wordStart : wordState;
    while (here < bytes.length) {
      const byte = bytes[here] as number;
      const next = nextWordState(state, byte);
      if (next !== 0) {
        state = next;
        here++;
        continue;
      }
      at = here;
      if (!endWord(state, start)) return false;
      if (!inArray || byte !== comma) return true;
      at = start = ++here;
      expected = 'value';
      state = wordStart;
      if (here === bytes.length || nextWordState(state, bytes[here] as number) === 0) return true;
    }
    at = here;
    wordState = state;
    if (visitor?.scalar !== undefined) hold(start);
    return true;
  }

  function endWord(state: number, start: number): boolean {
    if (!isWholeWord(state)) return false;
    wordState = 0;
    afterValue();
    visitor?.scalar?.(wordFrom(start));
    return true;
  }

  function wordFrom(start: number): Scalar {
    // The usual number: a digit or a few.
    if (heldLength === 0 && at - start <= 9) {
      let value = 0;
      let from = start;
      for (; from < at && isDigit(data[from] as number); from++) value = value * 10 + (data[from] as number) - zero;
      if (from === at) return value;
    }
    return JSON.parse(rawFrom(start)) as Scalar;
  }

  function take(byte: number): boolean {
    switch (byte) {
      case openBracket:
      case openBrace:
        if (!expectsValue()) return false;
        at++;
        open(byte === openBrace);
        return true;
      case closeBracket:
      case closeBrace:
        at++;
        return close(byte === closeBrace);
      case comma:
        at++;
        if (expected !== 'comma or end') return false;
        expected = inObject() ? 'key' : 'value';
        return true;
      case colon:
        at++;
        if (expected !== 'colon') return false;
        expected = 'value';
        return true;
      case quote:
        at++;
        if (expected === 'key' || expected === 'key or end') inText = 'key';
        else if (expectsValue()) inText = 'value';
        else return false;
        return true;
      default:
        return expectsValue() && takeWord();
    }
  }

  return {
    write(chunk) {
      data = chunk;
      at = 0;
      while (at < data.length) {
        const byte = data[at] as number;
        if (inText !== undefined) {
          if (!takeText()) return false;
        } else if (wordState !== 0) {
          if (!takeWord()) return false;
        } else if (isSpace(byte)) at++;
        else if (!take(byte)) return false;
      }
      return true;
    },
    end() {
      if (wordState !== 0 && !endWord(wordState, at)) return undefined;
      if (expected !== 'nothing') return undefined;
      return isContainer ? 'container' : 'scalar';
    },
  };
}
