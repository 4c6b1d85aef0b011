import { conditionNotMet, invalid, Refusal } from './refusal.ts';

type Versions = { readonly generation: number; readonly metageneration: number };

/** The query parameters that make a request conditional on an object. */
export const PRECONDITIONS = [
  'ifGenerationMatch',
  'ifGenerationNotMatch',
  'ifMetagenerationMatch',
  'ifMetagenerationNotMatch',
] as const;
/** The same for the source of a copy. */
export const SOURCE_PRECONDITIONS = PRECONDITIONS.map((name) => name.replace('if', 'ifSource'));

/**
 * Throws a 412 unless the name's current object meets the request's conditions, and a 400 for an invalid number. No
 * object counts as generation 0, so `ifGenerationMatch=0` holds only for a free name; every other condition fails
 * there.
 */
export function checkPreconditions(query: URLSearchParams, found: Versions | undefined, of: '' | 'Source' = ''): void {
  const wanted = (condition: string): number | undefined => integer(query, `if${of}${condition}`);
  const [match, notMatch] = [wanted('GenerationMatch'), wanted('GenerationNotMatch')];
  const [metaMatch, metaNotMatch] = [wanted('MetagenerationMatch'), wanted('MetagenerationNotMatch')];
  const generation = found?.generation ?? 0;
  if (match !== undefined && match !== generation) throw conditionNotMet();
  if (notMatch !== undefined && (found === undefined || notMatch === generation)) throw conditionNotMet();
  if (metaMatch !== undefined && metaMatch !== found?.metageneration) throw conditionNotMet();
  if (metaNotMatch !== undefined && (found === undefined || metaNotMatch === found.metageneration))
    throw conditionNotMet();
}

/** For reads: an object that is still the one named by a `…NotMatch` is answered 304, without a body. */
export function checkReadPreconditions(query: URLSearchParams, found: Versions): void {
  const unchanged =
    integer(query, 'ifGenerationNotMatch') === found.generation ||
    integer(query, 'ifMetagenerationNotMatch') === found.metageneration;
  if (unchanged) throw new Refusal(304, 'notModified', 'Not Modified');
  checkPreconditions(query, found);
}

/** The parameter's whole number of at least 0, or undefined when it is not given. */
export function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^\d{1,19}$/.test(text)) throw invalid(`Invalid value for ${name}`);
  return Number(text);
}
