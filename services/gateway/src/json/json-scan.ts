export type Scalar = string | number | boolean | null;

/** What a scan meets, in document order. An error thrown here ends the scan. */
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
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
/** Bytes of numbers, true, false and null. */
const isWordByte = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) ||
  (byte >= 0x61 && byte <= 0x7a) ||
  byte === 0x45 ||
  byte === 0x2b ||
  byte === 0x2d ||
  byte === 0x2e;
const word = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const afterBackslash = new Set([...'"\\/bfnrtu'].map((character) => character.charCodeAt(0)));
const isHexDigit = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);

/** Where the next quote, backslash or control character is; the length if there is none. */
function nextSpecial(data: Buffer, from: number): number {
  const { length } = data;
  for (let at = from; at < length; at++) {
    const byte = data[at] as number;
    if (byte === quote || byte === backslash || byte < 0x20) return at;
  }
  return length;
}

/**
 * Scans a JSON text that arrives in pieces, cut anywhere, and takes what `JSON.parse` takes. Of an open text or number it holds the pieces;
 * of an open container one bit. Without a visitor no values are made. The bytes must be UTF-8.
 */
export function createJsonScan(visitor?: JsonVisitor): JsonScan {
  /** A bit for each open container, the outermost first: set for an object. */
  let containers = new Uint8Array(16);
  let depth = 0;
  let isContainer = false;
  let expected: Expected = 'value';
  /** The piece that is scanned, and the place in it. */
  let data: Buffer = Buffer.alloc(0);
  let at = 0;
  let inText: 'key' | 'value' | undefined;
  /** Of the open text: pieces that came before, and whether anything in it is escaped. */
  let textPieces: Buffer[] = [];
  let hasEscapes = false;
  /** Bytes of an escape that are still to come: after a backslash one, or the hex digits of `\u`. */
  let escapeLeft: 'character' | 0 | 1 | 2 | 3 | 4 = 0;
  /** The beginning of a number, true, false or null that continues in the next piece. */
  let wordBegun = '';

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

  /** Continues a text, up to its end or that of the piece; false when it is invalid. */
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
    if (visitor !== undefined) textPieces.push(data.subarray(start));
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
    textPieces = [];
    hasEscapes = false;
  }

  function textFrom(start: number): string {
    const raw =
      textPieces.length === 0
        ? data.toString('utf8', start, at)
        : Buffer.concat([...textPieces, data.subarray(start, at)]).toString('utf8');
    return hasEscapes ? (JSON.parse(`"${raw}"`) as string) : raw;
  }

  /** Continues a number, true, false or null, up to its end or that of the piece; false when it is none of them. */
  function takeWord(): boolean {
    const start = at;
    while (at < data.length && isWordByte(data[at] as number)) at++;
    wordBegun += data.toString('latin1', start, at);
    return at === data.length || endWord();
  }

  function endWord(): boolean {
    const text = wordBegun;
    wordBegun = '';
    if (!word.test(text)) return false;
    afterValue();
    visitor?.scalar?.(JSON.parse(text) as Scalar);
    return true;
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
        } else if (wordBegun !== '') {
          if (!takeWord()) return false;
        } else if (isSpace(byte)) at++;
        else if (!take(byte)) return false;
      }
      return true;
    },
    end() {
      if (wordBegun !== '' && !endWord()) return undefined;
      if (expected !== 'nothing') return undefined;
      return isContainer ? 'container' : 'scalar';
    },
  };
}
