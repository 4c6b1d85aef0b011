import { gasScenarios, stampsOf } from './gas-scenarios.ts';

/** The committed snapshot: a change of gas shows in review. */
export const snapshotFile = new URL('../../gas-snapshot.json', import.meta.url);

/** Text of the snapshot: gas of each scenario's transaction, and its share of a stamp. */
export function renderSnapshot(measured: ReadonlyMap<string, number>): string {
  const rows = gasScenarios.map(({ name, runs }) => {
    const gas = measured.get(name) ?? 0;
    return [name, { gas, perStamp: Math.round((10 * gas) / stampsOf(runs)) / 10 }];
  });
  return `${JSON.stringify(Object.fromEntries(rows), undefined, 2)}\n`;
}
