import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { generatedFile, renderGenerated } from '../scripts/contract-compiler.ts';

describe('src/generated/commitment-service.ts', () => {
  it('is what the compiler makes of the contract (else: pnpm generate)', async () => {
    expect(await renderGenerated()).toBe(await readFile(generatedFile, 'utf8'));
  }, 60_000);
});
