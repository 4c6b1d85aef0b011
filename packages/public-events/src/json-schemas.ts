import { ceTypeOf, schemaFileOf } from './public-event.ts';
import { describedEventTypes } from './types.ts';

export type PublicSchema = {
  /** The registry's subject. */
  readonly subject: string;
  readonly fileName: string;
  readonly schema: Readonly<Record<string, unknown>>;
};

/** The JSON Schemas of all types as plain objects. */
export const publicSchemas: readonly PublicSchema[] = describedEventTypes.map((type) => ({
  subject: ceTypeOf(type),
  fileName: schemaFileOf(type),
  schema: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: `urn:indelible:event:${type.name}:v${type.version}`,
    // Without the symbols that TypeBox marks its types with.
    ...(JSON.parse(JSON.stringify(type.schema)) as Record<string, unknown>),
  },
}));

/** As it is committed in `schemas/` and served at `/schemas/`, to the byte. */
export const schemaTextOf = ({ schema }: PublicSchema): string => `${JSON.stringify(schema, null, 2)}\n`;
