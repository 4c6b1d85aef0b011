import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { estimateBatchSize } from '../src/index.ts';
import { type Chain, startChain } from './support/chain.ts';
import { gasScenarios, measureGas, stampsOf } from './support/gas-scenarios.ts';
import { renderSnapshot, snapshotFile } from './support/gas-snapshot.ts';

let chain: Chain;
let measured: Map<string, number>;

beforeAll(async () => {
  chain = await startChain();
  measured = await measureGas(chain);
}, 120_000);
afterAll(async () => chain?.stop());

const gasOf = (name: string) => measured.get(name) ?? Number.NaN;

describe('gas of commitBatch', () => {
  it('is that of the committed gas-snapshot.json (else: pnpm gas-snapshot, and say why)', async () => {
    expect(renderSnapshot(measured)).toBe(await readFile(snapshotFile, 'utf8'));
  });

  it.each(gasScenarios.filter(({ goal }) => goal !== undefined))(
    'of a stamp keeps its goal: $name',
    ({ name, runs, goal }) => {
      expect(gasOf(name) / stampsOf(runs)).toBeLessThanOrEqual(goal ?? 0);
    },
  );

  it.each(gasScenarios)('is at most estimated, and not much less: $name', ({ name, runs }) => {
    const estimate = estimateBatchSize(runs).gas;
    expect(estimate).toBeGreaterThanOrEqual(gasOf(name));
    expect(estimate).toBeLessThanOrEqual(1.35 * gasOf(name));
  });
});
