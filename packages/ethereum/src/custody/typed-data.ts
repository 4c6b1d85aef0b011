import { bytesOfHex, type Hex, hexOfBytes, keccak256 } from '@indelible/identifiers';

export type TypedField = { readonly name: string; readonly type: string };

/** EIP-712 data. Structs are flat: their fields are of elementary types, which is all the contract needs. */
export type TypedData = {
  readonly domain: {
    readonly name?: string;
    readonly version?: string;
    readonly chainId?: number | bigint;
    readonly verifyingContract?: Hex;
    readonly salt?: Hex;
  };
  readonly types: Readonly<Record<string, readonly TypedField[]>>;
  readonly primaryType: string;
  readonly message: Readonly<Record<string, unknown>>;
};

/** The fields a domain may have, in the order EIP-712 gives them. */
const domainFields: readonly TypedField[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
];

/**
 * The digest that is signed for EIP-712 data.
 * @throws TypeError when a type is not elementary, or a value does not fit its type
 */
export function hashTypedData({ domain, types, primaryType, message }: TypedData): Hex {
  const fields = types[primaryType];
  if (fields === undefined) throw new TypeError(`${primaryType} is not among the types`);
  const present = domainFields.filter(({ name }) => domain[name as keyof typeof domain] !== undefined);
  const parts = [
    Buffer.from([0x19, 0x01]),
    hashStruct('EIP712Domain', present, domain),
    hashStruct(primaryType, fields, message),
  ];
  return hexOfBytes(keccak256(Buffer.concat(parts)));
}

function hashStruct(
  name: string,
  fields: readonly TypedField[],
  values: Readonly<Record<string, unknown>>,
): Uint8Array {
  const type = `${name}(${fields.map((field) => `${field.type} ${field.name}`).join(',')})`;
  const words = fields.map((field) => encodeValue(field, values[field.name]));
  return keccak256(Buffer.concat([keccak256(Buffer.from(type)), ...words]));
}

/** One word of 32 bytes. */
function encodeValue({ name, type }: TypedField, value: unknown): Uint8Array {
  const misfit = (): TypeError => new TypeError(`${name} is no ${type}`);
  if (type === 'string') {
    if (typeof value !== 'string') throw misfit();
    return keccak256(Buffer.from(value));
  }
  if (type === 'bytes') return keccak256(bytesOf(value, undefined, misfit));
  if (type === 'bool') {
    if (typeof value !== 'boolean') throw misfit();
    return word(value ? 1n : 0n);
  }
  if (type === 'address') return Buffer.concat([new Uint8Array(12), bytesOf(value, 20, misfit)]);
  const [, kind, size = ''] = /^(uint|bytes)(\d+)$/.exec(type) ?? [];
  if (kind === 'bytes' && Number(size) <= 32)
    return Buffer.concat([bytesOf(value, Number(size), misfit), new Uint8Array(32 - Number(size))]);
  if (kind === 'uint' && Number(size) <= 256) {
    if (typeof value !== 'bigint' && !(typeof value === 'number' && Number.isSafeInteger(value))) throw misfit();
    const integer = BigInt(value);
    if (integer < 0n || integer >> BigInt(size) !== 0n) throw misfit();
    return word(integer);
  }
  throw new TypeError(`the type ${type} is not supported`);
}

const word = (value: bigint): Uint8Array => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');

function bytesOf(value: unknown, length: number | undefined, misfit: () => TypeError): Uint8Array {
  if (typeof value !== 'string' || !/^0x(?:[0-9a-fA-F]{2})*$/.test(value)) throw misfit();
  const bytes = bytesOfHex(value);
  if (length !== undefined && bytes.length !== length) throw misfit();
  return bytes;
}
