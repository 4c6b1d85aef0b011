import { cidOfContent } from './content-hash.ts';
import type { Hex } from './hex.ts';
import { faultOfText } from './text.ts';

const maxBytes = 255;

export type CollectionName = { readonly name: string; readonly folded: string };

/**
 * Reads a collection's name (docs/interface.md, Collections): trimmed of outer white space, in NFC, 1 to 255 bytes of
 * UTF-8, without control characters, separators, `.` or `..`, since it becomes a folder of the stored path.
 * @returns the stored name and its folded form (equal for the same names); or what is wrong with it
 */
export function parseCollectionName(text: string): CollectionName | { readonly fault: string } {
  const name = text.trim().normalize('NFC');
  const fault = faultOfText(name);
  if (fault !== undefined) return { fault };
  if (name === '') return { fault: 'must not be empty' };
  if (Buffer.byteLength(name) > maxBytes) return { fault: `must be at most ${maxBytes} bytes of UTF-8` };
  if (name.includes('/') || name.includes('\\')) return { fault: 'must not contain / or \\' };
  if (name === '.' || name === '..') return { fault: 'must not be . or ..' };
  return { name, folded: foldName(name) };
}

/** Unicode folds no other letter to this one; via upper case it would become `i`. */
const dotlessI = '\u0131';

/**
 * Two names are the same when their folded forms are equal: Unicode's full case folding, without the Turkic mappings
 * (docs/interface.md, Collections).
 */
export const foldName = (name: string): string =>
  name
    .split(dotlessI)
    .map((part) => part.toLowerCase().toUpperCase().toLowerCase())
    .join(dotlessI)
    .normalize('NFC');

/** The CID of a collection whose creator gave none: the SHA3-256 of its name's UTF-8 bytes (docs/interface.md, Collections). */
export const cidOfCollectionName = (name: string): Hex => cidOfContent(name);
