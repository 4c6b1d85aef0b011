import type { Row, Unit } from '../scenario.ts';

type Place = { readonly line: string; readonly unit: Unit; readonly x: number };

/** Collects values of rounds as points of curves over what `by` says was varied. */
export function createCurveRows(by: string): { add(place: Place, value: number): void; rows(): Row[] } {
  const found = new Map<string, { readonly place: Place; readonly rounds: number[] }>();
  return {
    add(place, value) {
      const key = JSON.stringify([place.line, place.unit, place.x]);
      const known = found.get(key) ?? { place, rounds: [] };
      known.rounds.push(value);
      found.set(key, known);
    },
    rows: () =>
      [...found.values()].map(({ place: { line, unit, x }, rounds }) => ({
        ...{ what: `${line}, ${x.toLocaleString('en')} ${by}`, unit, rounds },
        at: { line, by, x },
      })),
  };
}
