/** What may come next in a JSON text. */
type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing';

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
/** What a value other than a text or a container is made of, and how long it may be to be looked at in one piece. */
const isWordByte = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) ||
  (byte >= 0x61 && byte <= 0x7a) ||
  byte === 0x45 ||
  byte === 0x2b ||
  byte === 0x2d ||
  byte === 0x2e;
const word = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const escaped = /^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/;

/**
 * Whether bytes are the text of a JSON object or array, as `JSON.parse` would take it: found piece by piece, and without
 * making its values, since a text of some megabytes would delay other requests.
 * @returns a function that scans so many more bytes; undefined while the result is not known
 */
export function createJsonScan(data: Buffer): (bytes: number) => boolean | undefined {
  /** A bit for each open container, the outermost first: set for an object. */
  let containers = new Uint8Array(16);
  let depth = 0;
  let at = 0;
  let expected: Expected = 'value';
  let inText: 'key' | 'value' | undefined;

  function open(isObject: boolean): void {
    if (depth >= containers.length * 8) {
      const larger = new Uint8Array(containers.length * 2);
      larger.set(containers);
      containers = larger;
    }
    const bit = 1 << (depth & 7);
    containers[depth >> 3] = isObject
      ? (containers[depth >> 3] as number) | bit
      : (containers[depth >> 3] as number) & ~bit;
    depth++;
    expected = isObject ? 'key or end' : 'value or end';
  }
  const inObject = (): boolean => ((containers[(depth - 1) >> 3] as number) & (1 << ((depth - 1) & 7))) !== 0;

  function close(isObject: boolean): boolean {
    if (depth === 0 || inObject() !== isObject) return false;
    if (expected !== 'comma or end' && expected !== (isObject ? 'key or end' : 'value or end')) return false;
    depth--;
    afterValue();
    return true;
  }
  const afterValue = (): void => {
    expected = depth === 0 ? 'nothing' : 'comma or end';
  };

  /** Continues a text, up to its end or to `end`; false when it is invalid. */
  function goOnInText(end: number): boolean {
    while (at < end) {
      const byte = data[at] as number;
      if (byte === quote) {
        at++;
        if (inText === 'key') expected = 'colon';
        else afterValue();
        inText = undefined;
        return true;
      }
      if (byte < 0x20) return false;
      if (byte !== backslash) at++;
      else {
        const found = escaped.exec(data.toString('latin1', at + 1, at + 6));
        if (found === null) return false;
        at += 1 + found[0].length;
      }
    }
    return true;
  }

  /** A number, true, false or null; false when it is none of them. */
  function takeWord(): boolean {
    const start = at;
    while (at < data.length && isWordByte(data[at] as number)) at++;
    if (!word.test(data.toString('latin1', start, at))) return false;
    afterValue();
    return true;
  }

  function take(byte: number): boolean {
    switch (byte) {
      case openBracket:
      case openBrace:
        if (expected !== 'value' && expected !== 'value or end') return false;
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
        else if ((expected === 'value' || expected === 'value or end') && depth > 0) inText = 'value';
        else return false;
        return true;
      default:
        return (expected === 'value' || expected === 'value or end') && depth > 0 && takeWord();
    }
  }

  return (bytes) => {
    const end = Math.min(data.length, at + bytes);
    while (at < end) {
      const byte = data[at] as number;
      if (inText !== undefined) {
        if (!goOnInText(end)) return false;
      } else if (isSpace(byte)) at++;
      else if (!take(byte)) return false;
    }
    return at < data.length ? undefined : expected === 'nothing';
  };
}
