import { patternNames } from '../fields.ts';

/** A field of an event's data, as documents list it. */
export type FieldRow = {
  /** With the fields it is in: `commitment_receipt.block_number`. */
  readonly name: string;
  readonly type: string;
  readonly description: string;
};

type FieldSchema = {
  readonly type?: string;
  readonly pattern?: string;
  readonly description?: string;
  readonly anyOf?: readonly FieldSchema[];
  readonly properties?: Readonly<Record<string, FieldSchema>>;
};

/** All fields of an event's schema, those of nested objects after the object. */
export const fieldRowsOf = ({ properties = {} }: FieldSchema, path = ''): readonly FieldRow[] =>
  Object.entries(properties).flatMap(([name, field]) => [
    { name: `${path}${name}`, type: typeOf(field), description: field.description ?? '' },
    ...fieldRowsOf(field, `${path}${name}.`),
  ]);

function typeOf({ anyOf, pattern, type = 'any' }: FieldSchema): string {
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  return (pattern === undefined ? undefined : patternNames[pattern]) ?? type;
}
