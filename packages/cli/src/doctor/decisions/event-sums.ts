/** 2^20 sums of 32 bits: of a million stamps few share one. */
const bits = 20;

/**
 * Compares the expected events of stamps with the existing ones, in constant memory: each is added to the sum of its
 * stamp, or subtracted. A sum that is not zero at the end has a missing or surplus event.
 */
export function createEventSums() {
  const sums = new Uint32Array(2 ** bits);
  const placeOf = (stampId: string): number => Number.parseInt(stampId.slice(-bits / 4), 16) % sums.length;
  const add = (stampId: string, version: number, sign: 1 | -1): void => {
    const place = placeOf(stampId);
    sums[place] = (sums[place] ?? 0) + sign * weightOf(stampId, version);
  };
  return {
    expect: (stampId: string, version: number): void => add(stampId, version, 1),
    found: (stampId: string, version: number): void => add(stampId, version, -1),
    isWhole: (): boolean => sums.every((sum) => sum === 0),
    /** Whether the sum of the stamp is not zero. */
    differs: (stampId: string): boolean => sums[placeOf(stampId)] !== 0,
  };
}

/** From random digits of the id other than those of its place. */
function weightOf(stampId: string, version: number): number {
  const digits = Number.parseInt(stampId.slice(-13, -5), 16);
  return Math.imul(digits ^ Math.imul(version, 0x9e3779b1), 0x85ebca6b) >>> 0;
}
