import { faultOfText, type Hex } from '@indelible/identifiers';
import { maxReferenceLength } from '@indelible/messages';
import { type FieldFault, isFault } from '../../decisions/field-values.ts';
import { type RequestedSet, readCid, readStampForm } from '../../decisions/read-stamp-form.ts';
import { HttpError } from '../../errors/http-error.ts';
import { parseStrictJson } from '../../json/strict-json.ts';

/** What a line requests. */
export type LineRequest = {
  readonly objectCid: Hex;
  readonly set: RequestedSet;
  readonly clientRef: string | undefined;
};

/** Why a line is invalid, naming the field; with its reference if readable. */
export type LineFault = { readonly error: string; readonly clientRef: string | undefined };

const maxKnownSets = 1_000;
/** A repeated member takes at least `"data_cid":0,`, however it is spelled. */
const shortestMember = 13;

type Fields = {
  data_cid?: unknown;
  collection_cid?: unknown;
  collection_name?: unknown;
  client_ref?: unknown;
};

/**
 * Reads batch lines by the rules of POST /stamps: strict JSON with the fields of {@link Fields} and no others; `null`
 * means a missing field.
 */
export function createLineReader(): (text: string) => LineRequest | LineFault {
  /** Batches name few collections: each is read once, into one object. Emptied when it is full, so that a hostile batch fills no memory. */
  const sets = new Map<string, RequestedSet | FieldFault>();

  function setOf(dataCid: Hex, cid: string | undefined, name: string | undefined): RequestedSet | FieldFault {
    if (cid === undefined && name === undefined) return none;
    const key = `${cid ?? ''}\n${name ?? ''}`;
    let set = sets.get(key);
    if (set === undefined) {
      const texts = new Map([['data_cid', dataCid as string]]);
      if (cid !== undefined) texts.set('collection_cid', cid);
      if (name !== undefined) texts.set('collection_name', name);
      const form = readStampForm({ texts, data: undefined, file: undefined });
      set = isFault(form) ? form : form.set;
      if (sets.size >= maxKnownSets) sets.clear();
      sets.set(key, set);
    }
    return set;
  }

  return (text) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return { error: 'the line is not valid JSON', clientRef: undefined };
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { error: 'the line must be a JSON object', clientRef: undefined };
    const fields = value as Fields;
    const ref = fields.client_ref ?? undefined;
    const clientRef = typeof ref === 'string' && isReference(ref) ? ref : undefined;
    const fault = (error: string): LineFault => ({ error, clientRef });

    let least = 1;
    for (const name in fields) {
      const field = fields[name as keyof Fields];
      switch (name) {
        case 'data_cid':
        case 'collection_cid':
        case 'collection_name':
        case 'client_ref':
          if (typeof field === 'string') least += name.length + field.length + 6;
          else if (field === null) least += name.length + 8;
          else return fault(`${name}: must be a string`);
          break;
        default:
          return fault(`${name.slice(0, 200)}: unknown key`);
      }
    }
    // The parsed object has each known key once, and takes at least `least` characters unescaped and unspaced: a key
    // can be repeated only if the text is longer, and only then are all tokens read.
    if (text.length - least >= shortestMember) {
      const repeated = faultOfTokens(text);
      if (repeated !== undefined) return fault(repeated);
    }
    if (ref !== undefined && clientRef === undefined)
      return fault(`client_ref: must be text without control characters, at most ${maxReferenceLength} characters`);
    const given = fields.data_cid as string | null | undefined;
    if (given === undefined || given === null) return fault('data_cid: must be given');
    const objectCid = readCid('data_cid', given);
    if (typeof objectCid !== 'string') return fault(textOf(objectCid));
    const set = setOf(objectCid, textIn(fields.collection_cid), textIn(fields.collection_name));
    return isFault(set) ? fault(textOf(set)) : { objectCid, set, clientRef };
  };
}

const none: RequestedSet = { kind: 'none' };
const textOf = ({ field, fault }: FieldFault): string => `${field}: ${fault}`;
const textIn = (field: unknown): string | undefined => (typeof field === 'string' ? field : undefined);
const isReference = (text: string): boolean =>
  (text.length <= maxReferenceLength || [...text].length <= maxReferenceLength) && faultOfText(text) === undefined;

function faultOfTokens(text: string): string | undefined {
  try {
    parseStrictJson(Buffer.from(text));
    return undefined;
  } catch (error) {
    if (error instanceof HttpError) return error.message;
    throw error;
  }
}
