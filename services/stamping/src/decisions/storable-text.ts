import { faultOfText } from '@indelible/identifiers';
import type { Refusal } from '@indelible/messages';

const tabsAndLineBreaks = /[\t\n\r]/g;

/**
 * Why a text cannot be stored, if so: the gateway refuses it first, but a command may still carry it, and no column can
 * hold it (docs/interface.md, Everywhere). Only a description may hold tabs and line breaks.
 */
export function refuseText(
  field: 'name' | 'collection_name' | 'description' | 'client_ref',
  text: string,
): Refusal | undefined {
  const fault = faultOfText(field === 'description' ? text.replaceAll(tabsAndLineBreaks, ' ') : text);
  if (fault === undefined) return undefined;
  return { code: 'invalid-text', message: `${field}: must be well-formed Unicode without control characters` };
}
