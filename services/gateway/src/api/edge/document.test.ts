import { describe, expect, it } from '@jest/globals';
import { loadDocument } from './document.ts';

const document = loadDocument();

/** Keys without a value: in YAML's flow style, a comma in unquoted text creates one. Null may be in an enumeration. */
function valueless(value: unknown, at: string): string[] {
  if (value === null) return /\/enum\/\d+$/.test(at) ? [] : [at];
  if (typeof value !== 'object') return [];
  return Object.entries(value as object).flatMap(([key, inner]) => valueless(inner, `${at}/${key}`));
}

type Schema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly 'x-content'?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
};

/** The texts of a schema, each with its place. */
function textsIn(schema: Schema, at: string, schemas: Readonly<Record<string, Schema>>): [string, Schema][] {
  const referred = schema.$ref?.split('/').at(-1);
  if (referred !== undefined) return textsIn(schemas[referred] as Schema, at, schemas);
  if (schema.type === 'string') return [[at, schema]];
  if (schema.items !== undefined) return textsIn(schema.items, `${at}[]`, schemas);
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => textsIn(inner, `${at}.${name}`, schemas));
}

/** Content, and headers with known words only: the total size of headers bounds those. */
const isContent = (at: string, schema: Schema): boolean =>
  schema.format === 'binary' ||
  schema['x-content'] === true ||
  ['body text/csv', 'header Prefer', 'header Accept'].some((one) => at.endsWith(one));

describe('the OpenAPI document', () => {
  it('bounds every text of a request, and keeps control characters out of it', () => {
    const { paths = {}, components } = document.copy();
    const schemas = (components?.schemas ?? {}) as Readonly<Record<string, Schema>>;
    type Documented = {
      readonly operationId?: string;
      readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[];
      readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
    };
    const texts = Object.values(paths)
      .flatMap((path) => Object.values(path as Readonly<Record<string, Documented>>))
      .flatMap(({ operationId, parameters = [], requestBody }) => [
        ...parameters.flatMap((one) => textsIn(one.schema, `${operationId} ${one.in} ${one.name}`, schemas)),
        ...Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema }]) =>
          textsIn(schema, `${operationId} body ${type}`, schemas),
        ),
      ]);
    expect(texts.length).toBeGreaterThan(40);
    for (const [at, schema] of texts) {
      if (isContent(at, schema) || schema.enum !== undefined) continue;
      const { pattern = '', maxLength } = schema;
      const shape = new RegExp(pattern, 'u');
      const isShort = maxLength !== undefined || /^\^0x\[0-9a-fA-F\]\{\d+\}\$$/.test(pattern);
      expect([at, isShort]).toEqual([at, true]);
      for (const bad of ['\u0000', '\u0008', '\u001b', '\u007f', '\u0080', '\u009f', '\ud800', '\udfff'])
        expect([at, bad, shape.test(`a${bad}b`)]).toEqual([at, bad, false]);
      if (at.endsWith('.description')) expect(shape.test('a\tb\r\nc')).toBe(true);
    }
  });

  it('has no key without a value', () => {
    expect(valueless(document.copy(), '')).toEqual([]);
  });

  it('describes every operation, and every field of a request', () => {
    const { paths = {}, components } = document.copy();
    for (const { summary, operationId } of Object.values(paths).flatMap((path) => Object.values(path as object)))
      expect([operationId, summary]).toEqual([operationId, expect.stringMatching(/\w/)]);
    for (const name of ['StampForm', 'AccountSettings', 'Collection', 'CommitmentReceipt'])
      for (const [field, schema] of Object.entries(components?.schemas?.[name] ?? {}).flatMap(([key, value]) =>
        key === 'properties' ? Object.entries(value as Record<string, object>) : [],
      ))
        expect([field, 'example' in schema || 'description' in schema]).toEqual([field, true]);
  });

  it('deprecates POST /stamp/ alone, in favour of POST /stamps, which it equals', () => {
    const { paths } = document.copy();
    const [deprecated, ...others] = document.operations.filter((one) => one.deprecation !== undefined);
    expect(others).toEqual([]);
    expect(deprecated).toMatchObject({ id: 'createStampDeprecated', deprecation: { successor: '/stamps' } });
    const of = (path: string) => paths?.[path]?.post;
    expect(of('/stamp/')?.deprecated).toBe(true);
    for (const part of ['parameters', 'requestBody', 'responses'] as const)
      expect(of('/stamp/')?.[part]).toEqual(of('/stamps')?.[part]);
  });
});
