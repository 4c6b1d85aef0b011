import { type Hex, isZeroCid, parseCid, parseCollectionName } from '@indelible/identifiers';
import { type FieldFault, isFault, parseBoolean, parseInteger } from './field-values.ts';
import { faultOfFileName } from './file-name.ts';

/** The form of POST /stamps as received: texts by field name, and the CIDs of its content. */
export type StampFormInput = {
  readonly texts: ReadonlyMap<string, string>;
  readonly data: { readonly cid: Hex; readonly size: number } | undefined;
  readonly file: { readonly cid: Hex; readonly name: string } | undefined;
};

/** The set named by the caller, not looked up yet. */
export type RequestedSet =
  | { readonly kind: 'none' }
  | { readonly kind: 'named'; readonly name: string; readonly folded: string }
  | { readonly kind: 'cid'; readonly cid: Hex };

export type StampForm = {
  readonly objectCid: Hex;
  readonly set: RequestedSet;
  /** What to store, and its name; null for inline data, which is named by its CID. */
  readonly content: { readonly from: 'file' | 'data'; readonly fileName: string | null } | undefined;
  /** Null: always make a new stamp. */
  readonly idempotency: { readonly windowSeconds: number } | null;
};

export const maxWindowSeconds = 31_536_000;
export const defaultWindowSeconds = 3_600;

/** Reads the form (docs/interface.md, Stamps), by the rules that need only the request itself. */
export function readStampForm(input: StampFormInput): StampForm | FieldFault {
  const objectCid = agreedCid(input);
  if (typeof objectCid !== 'string') return objectCid;
  const set = requestedSet(input.texts);
  if (isFault(set)) return set;
  const store = flag(input.texts, 'store_stamped_file');
  if (typeof store !== 'boolean') return store;
  const idempotent = flag(input.texts, 'idempotent');
  if (typeof idempotent !== 'boolean') return idempotent;
  const window = input.texts.get('idempotency_window');
  const windowSeconds = window === undefined ? defaultWindowSeconds : parseInteger(window, 0, maxWindowSeconds);
  if (windowSeconds === undefined)
    return { field: 'idempotency_window', fault: `must be an integer from 0 to ${maxWindowSeconds}` };
  const content = storedContent(input);
  if (content !== undefined && isFault(content)) return content;
  return { objectCid, set, content: store ? content : undefined, idempotency: idempotent ? { windowSeconds } : null };
}

/** One or more of file, data and data_cid; all given ones must have the same CID. */
function agreedCid({ texts, data, file }: StampFormInput): Hex | FieldFault {
  if (data?.size === 0) return { field: 'data', fault: 'must not be empty' };
  const text = texts.get('data_cid');
  const given = text === undefined ? undefined : readCid('data_cid', text);
  if (typeof given === 'object') return given;
  const cids = [file?.cid, data?.cid, given].filter((cid) => cid !== undefined);
  const [first] = cids;
  if (first === undefined)
    return { field: 'file, data, data_cid', fault: 'at least one of file, data and data_cid must be provided' };
  if (cids.every((cid) => cid === first)) return first;
  const names = [file && 'file', data && 'data', given && 'data_cid'].filter((name) => name !== undefined);
  return { field: names.join(', '), fault: 'must denote the same CID' };
}

function requestedSet(texts: ReadonlyMap<string, string>): RequestedSet | FieldFault {
  const cid = texts.get('collection_cid');
  const name = texts.get('collection_name');
  if (cid !== undefined && name !== undefined)
    return { field: 'collection_cid, collection_name', fault: 'at most one of them may be given' };
  if (cid !== undefined) {
    const read = readCid('collection_cid', cid);
    return typeof read === 'string' ? { kind: 'cid', cid: read } : read;
  }
  if (name === undefined) return { kind: 'none' };
  const read = parseCollectionName(name);
  return 'fault' in read ? { field: 'collection_name', fault: read.fault } : { kind: 'named', ...read };
}

/** With a file, or without content, file_name is ignored, even if invalid. */
function storedContent({ texts, data, file }: StampFormInput): StampForm['content'] | FieldFault {
  if (file !== undefined) {
    const fault = faultOfFileName(file.name);
    return fault === undefined ? { from: 'file', fileName: file.name } : { field: 'file', fault: `file name ${fault}` };
  }
  if (data === undefined) return undefined;
  const name = texts.get('file_name');
  const fault = name === undefined ? undefined : faultOfFileName(name);
  return fault === undefined ? { from: 'data', fileName: name ?? null } : { field: 'file_name', fault };
}

/** A CID as a form field gives it, lower-case. */
export function readCid(field: string, text: string): Hex | FieldFault {
  const cid = parseCid(text);
  if (cid === undefined) return { field, fault: 'must be a CID: 0x and 64 hex digits' };
  return isZeroCid(cid) ? { field, fault: 'must not be the zero CID' } : cid;
}

function flag(texts: ReadonlyMap<string, string>, field: string): boolean | FieldFault {
  const text = texts.get(field);
  if (text === undefined) return true;
  return parseBoolean(text) ?? { field, fault: 'must be true or false' };
}
