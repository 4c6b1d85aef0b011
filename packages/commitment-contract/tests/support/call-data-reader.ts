import { type Hex, hexOfBytes } from '@indelible/identifiers';

/** The call fails and leaves nothing behind. */
export class Reverted extends Error {}

type RunWords = { readonly user: Hex; readonly count: bigint; readonly newSet: boolean; readonly setCid: Hex };
type Values = {
  readonly address: Hex;
  readonly bytes32: Hex;
  readonly 'bytes32[]': readonly Hex[];
  readonly 'run[]': readonly RunWords[];
  readonly bytes: Uint8Array;
};

const wordBytes = 32;
const selectorBytes = 4;
const mostBytes = 2n ** 64n - 1n;
const elementBytes = { 'bytes32[]': 32, 'run[]': 128, bytes: 1 } as const;

/** Reads call data as Solidity's decoder does: offsets may overlap, and what follows is ignored. Fails with Reverted. */
export class CallDataReader {
  readonly #data: Uint8Array;

  constructor(data: Uint8Array) {
    this.#data = data.subarray(selectorBytes);
  }

  static addressIn(value: Hex): Hex {
    if (BigInt(value) >> 160n !== 0n) throw new Reverted();
    return `0x${value.slice(-40)}`;
  }

  /** The arguments by their types. */
  head<const Types extends readonly (keyof Values)[]>(...types: Types): { [At in keyof Types]: Values[Types[At]] } {
    if (this.#data.length < types.length * wordBytes) throw new Reverted();
    return types.map((type, i) => this.#argument(type, i * wordBytes)) as { [At in keyof Types]: Values[Types[At]] };
  }

  #argument(type: keyof Values, at: number): Values[keyof Values] {
    if (type === 'bytes32') return this.#word(at);
    if (type === 'address') return CallDataReader.addressIn(this.#word(at));
    const offset = BigInt(this.#word(at));
    if (offset > mostBytes || offset + BigInt(wordBytes) > BigInt(this.#data.length)) throw new Reverted();
    const start = Number(offset) + wordBytes;
    const length = BigInt(this.#word(Number(offset)));
    if (length > mostBytes || BigInt(start) + length * BigInt(elementBytes[type]) > BigInt(this.#data.length))
      throw new Reverted();
    if (type === 'bytes') return this.#data.subarray(start, start + Number(length));
    return Array.from({ length: Number(length) }, (_, i) => {
      const element = start + i * elementBytes[type];
      return type === 'run[]' ? this.#run(element) : this.#word(element);
    }) as Values[typeof type];
  }

  #run(at: number): RunWords {
    return {
      user: this.#word(at),
      count: BigInt(this.#word(at + wordBytes)),
      newSet: BigInt(this.#word(at + 2 * wordBytes)) !== 0n,
      setCid: this.#word(at + 3 * wordBytes),
    };
  }

  #word(at: number): Hex {
    return hexOfBytes(this.#data.subarray(at, at + wordBytes));
  }
}
