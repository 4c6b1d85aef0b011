import type { Hex } from '@indelible/identifiers';
import { RpcUnavailableError } from '../rpc/errors.ts';

/** Readers of a node's answer: each throws RpcUnavailableError on a malformed field. */

export type Fields = Readonly<Record<string, unknown>>;

const malformed = (name: string): RpcUnavailableError => new RpcUnavailableError(`the node's ${name} is malformed`);

export function fieldsOf(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(name);
  return value as Fields;
}

export function listOf(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed(name);
  return value;
}

/** Hex of any length, lower-case. */
export function hexOf(value: unknown, name: string): Hex {
  if (typeof value !== 'string' || !/^0x(?:[0-9a-fA-F]{2})*$/.test(value)) throw malformed(name);
  return value.toLowerCase() as Hex;
}

/** Hex of exactly so many bytes, lower-case. */
export function bytesField(value: unknown, length: number, name: string): Hex {
  const hex = hexOf(value, name);
  if (hex.length !== 2 + 2 * length) throw malformed(name);
  return hex;
}

export function bigintOf(value: unknown, name: string): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) throw malformed(name);
  return BigInt(value);
}

/** A quantity that is exact as a number: block numbers, nonces, indexes, seconds. */
export function numberOf(value: unknown, name: string): number {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,16}$/.test(value)) throw malformed(name);
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw malformed(name);
  return number;
}

export const quantityOf = (value: number | bigint): Hex => `0x${value.toString(16)}`;

export type BlockTag = 'latest' | 'finalized' | 'safe' | 'earliest' | 'pending';
export const blockParameter = (block: BlockTag | number): string =>
  typeof block === 'number' ? quantityOf(block) : block;
