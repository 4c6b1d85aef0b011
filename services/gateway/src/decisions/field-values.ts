/** Why a field is invalid, with its name. */
export type FieldFault = { readonly field: string; readonly fault: string };

export const isFault = (value: object): value is FieldFault => 'fault' in value;

/** `true`/`false` in any letter case, `1`/`0` (docs/interface.md, Everywhere); undefined for anything else. */
export function parseBoolean(text: string): boolean | undefined {
  switch (text.toLowerCase()) {
    case 'true':
    case '1':
      return true;
    case 'false':
    case '0':
      return false;
    default:
      return undefined;
  }
}

/** Decimal digits within bounds; undefined for anything else. */
export function parseInteger(text: string, min: number, max: number): number | undefined {
  if (!/^\d{1,15}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}
