import { type CollectionName, faultOfText, type Hex, parseAddress, parseCollectionName } from '@indelible/identifiers';
import { invalid } from '../../errors/http-error.ts';

/** The requested collection; null parts are inferred from the objects. */
export type RequestedCollection = {
  readonly name: CollectionName | null;
  readonly owner: Hex | null;
};

/** @throws HttpError 400 naming the field */
export function readCollectionName(text: string): CollectionName {
  const name = parseCollectionName(text);
  if ('fault' in name) throw invalid('collection_name', name.fault);
  return name;
}

/** @throws HttpError 400 naming the field */
export function readUserAddress(text: string): Hex {
  const address = parseAddress(text);
  if (address === undefined) throw invalid('user_address', 'must be an address: 0x and 40 hex digits, checksum right');
  return address;
}

const maxFileNameCharacters = 4_096;

/** A file name next to the verified content: unused, but checked as text. @throws HttpError 400 naming `field` */
export function readFileName(field: string, text: string): void {
  const fault =
    text.length > maxFileNameCharacters ? `must be at most ${maxFileNameCharacters} characters` : faultOfText(text);
  if (fault !== undefined) throw invalid(field, fault);
}

/** @throws HttpError 400 for a name that is no IANA time zone */
export function checkTimezone(text: string): void {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(text) || !isKnownZone(text))
    throw invalid('collection_timezone', 'must be an IANA time zone name, or empty');
}

function isKnownZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}

/** Refuses an empty list unless it names a collection. @throws HttpError 400 */
export function requireSomething(requested: RequestedCollection, objects: number): RequestedCollection {
  if (objects === 0 && requested.name === null) throw invalid('objects', 'must not be empty without a collection_name');
  return requested;
}
