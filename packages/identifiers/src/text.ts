// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

/**
 * The rule for every text that a caller gives (docs/interface.md, Everywhere): well-formed, without control characters.
 * A description may also hold tabs and line breaks: the document's pattern allows them in that field.
 * @returns what is wrong with it
 */
export function faultOfText(text: string): string | undefined {
  if (!text.isWellFormed()) return 'must not contain lone surrogates';
  return controlCharacter.test(text) ? 'must not contain control characters' : undefined;
}
