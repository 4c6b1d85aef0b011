import { describe, expect, it } from '@jest/globals';
import { checkPreconditions, checkReadPreconditions } from './preconditions.ts';

const found = { generation: 7, metageneration: 1 };
const check = (query: string, object: typeof found | undefined): number => {
  try {
    checkPreconditions(new URLSearchParams(query), object);
    return 200;
  } catch (error) {
    return (error as { status: number }).status;
  }
};

describe('preconditions', () => {
  it.each([
    ['', 200, 200],
    ['ifGenerationMatch=0', 412, 200],
    ['ifGenerationMatch=7', 200, 412],
    ['ifGenerationMatch=8', 412, 412],
    ['ifGenerationNotMatch=0', 200, 412],
    ['ifGenerationNotMatch=7', 412, 412],
    ['ifGenerationNotMatch=8', 200, 412],
    ['ifMetagenerationMatch=1', 200, 412],
    ['ifMetagenerationMatch=2', 412, 412],
    ['ifMetagenerationNotMatch=1', 412, 412],
    ['ifMetagenerationNotMatch=2', 200, 412],
    ['ifGenerationMatch=7&ifMetagenerationMatch=2', 412, 412],
    ['ifGenerationMatch=x', 400, 400],
    ['ifGenerationMatch=', 400, 400],
    ['ifSourceGenerationMatch=8', 200, 200],
  ])('hold or are a 412: %s', (query, withObject, without) => {
    expect([check(query, found), check(query, undefined)]).toEqual([withObject, without]);
  });

  it('of a copy name its source apart from its target', () => {
    const query = new URLSearchParams('ifSourceGenerationMatch=8&ifGenerationMatch=7');
    checkPreconditions(query, found);
    expect(() => checkPreconditions(query, found, 'Source')).toThrow(expect.objectContaining({ status: 412 }));
  });

  it('of a read are a 304 for what has not changed', () => {
    const unchanged = new URLSearchParams('ifGenerationNotMatch=7');
    expect(() => checkReadPreconditions(unchanged, found)).toThrow(expect.objectContaining({ status: 304 }));
    checkReadPreconditions(new URLSearchParams('ifGenerationNotMatch=8'), found);
    const other = new URLSearchParams('ifGenerationMatch=8');
    expect(() => checkReadPreconditions(other, found)).toThrow(expect.objectContaining({ status: 412 }));
  });
});
