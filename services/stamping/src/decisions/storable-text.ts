import type { Refusal } from '@indelible/messages';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above, but for tabs and line breaks
const controlCharacterButLayout = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/**
 * Why a text cannot be taken, if so: the gateway refuses it first, and a command that carries it all the same is refused here,
 * since no column holds it (decisions, Settled). Only a description may hold tabs and line breaks.
 */
export function refuseText(
  field: 'name' | 'collection_name' | 'description' | 'client_ref',
  text: string,
): Refusal | undefined {
  const isFree = !(field === 'description' ? controlCharacterButLayout : controlCharacter).test(text);
  if (isFree && text.isWellFormed()) return undefined;
  return { code: 'invalid-text', message: `${field}: must be well-formed Unicode without control characters` };
}
