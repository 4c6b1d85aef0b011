import { describe, expect, it } from '@jest/globals';
import { loadDocument } from './document.ts';

const document = loadDocument();

/** Where a key has no value: in YAML's flow style a comma in a text that is not quoted makes one. */
function valueless(value: unknown, at: string): string[] {
  if (value === null) return [at];
  if (typeof value !== 'object') return [];
  return Object.entries(value as object).flatMap(([key, inner]) => valueless(inner, `${at}/${key}`));
}

describe('the OpenAPI document', () => {
  it('has no key without a value', () => {
    expect(valueless(document.copy(), '')).toEqual([]);
  });

  it('says of every operation what it is, and of every field of a request what it means', () => {
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
