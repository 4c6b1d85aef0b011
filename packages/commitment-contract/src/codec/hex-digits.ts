const lowerCase = 0;
const upperCase = 1;
/** Not a hex digit; above the combined values of the cases. */
const none = 2;

/** What each character is. */
const kinds = new Uint8Array(128).fill(none);
for (let value = 0; value < 16; value += 1) {
  const digit = value.toString(16);
  kinds[digit.toUpperCase().charCodeAt(0)] = upperCase;
  kinds[digit.charCodeAt(0)] = lowerCase;
}

/**
 * The text in lower case if it is 0x and that many hex digits; otherwise undefined. A table instead of a regular
 * expression: three times as fast, and the CID of every log passes here. Lower-case text, as nodes write it, is
 * returned as is.
 */
export function lowerHex(text: string, digits: number): string | undefined {
  if (text.length !== digits + 2 || !text.startsWith('0x')) return undefined;
  let seen = lowerCase;
  for (let at = 2; at < text.length; at += 1) seen |= kinds[text.charCodeAt(at)] ?? none;
  if (seen >= none) return undefined;
  return seen === lowerCase ? text : text.toLowerCase();
}
