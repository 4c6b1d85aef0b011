/** Entries per level: half of its places, so that chains stay short. */
const levelBits = [14, 21] as const;
const maxProbes = 256;

/** More are not listed one by one. */
const maxTold = 2_000;

/**
 * Finds repeated pairs of CID and instant, among at most 2^20. None is missed. Others may be reported too: in one of
 * some thousand uploads of a million, and when crafted to collide.
 */
export type Repetitions = {
  /** @param at offset of the 32 bytes of the CID */
  note(bytes: Buffer, at: number, instant: number, position: number): void;
  /** Positions of repeated pairs; undefined when there are more than 2,000. */
  positions(): readonly number[] | undefined;
};

/** Marks of 31 bits in tables of up to 8 MB; the larger one is used from the 8,193rd pair on. */
export function createRepetitions(): Repetitions {
  const levels: Uint32Array[] = [];
  let room = 0;
  const positions: number[] = [];

  /** Whether the mark is in the level; if not, adds it if requested. */
  function meets(marks: Uint32Array, bits: number, hash: number, mark: number, put: boolean): boolean {
    const last = marks.length - 1;
    let place = hash >>> (32 - bits);
    for (let probes = 0; probes < maxProbes; probes++, place = (place + 1) & last) {
      const found = marks[place];
      if (found === mark) return true;
      if (found === 0) {
        if (put) marks[place] = mark;
        return false;
      }
    }
    // Crafted to collide: a client that does that is served more slowly.
    return true;
  }

  return {
    note(bytes, at, instant, position) {
      if (positions.length > maxTold) return;
      const low = instant | 0;
      const high = Math.floor(instant / 2 ** 32);
      const hash = Math.imul(bytes.readInt32BE(at) ^ Math.imul(low, 0x9e3779b1) ^ high, 0x85ebca6b);
      const mark = (Math.imul(bytes.readInt32BE(at + 4) ^ Math.imul(low, 0xc2b2ae35) ^ high, 0x27d4eb2f) | 1) >>> 0;
      if (room === 0) {
        const bits = levelBits[levels.length];
        if (bits === undefined) throw new RangeError('more pairs than are bounded');
        levels.push(new Uint32Array(2 ** bits));
        room = 2 ** (bits - 1);
      }
      room--;
      const last = levels.length - 1;
      for (let level = 0; level <= last; level++)
        if (meets(levels[level] as Uint32Array, levelBits[level] as number, hash, mark, level === last)) {
          positions.push(position);
          return;
        }
    },
    positions: () => (positions.length > maxTold ? undefined : positions),
  };
}
