import { parseScopes, type Scope } from '@indelible/accounts';
import { type Hex, parseAddress } from '@indelible/identifiers';
import type { LetterPlace } from '@indelible/kafka';
import { InvalidArgumentError } from 'commander';
import { weiOf } from './ether.ts';

// Values of options as commander hands them over; InvalidArgumentError says what is wrong with one.

const instantShape = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;
const mostSeconds = 86_400;

/** Lower-case. */
export function parseAccount(text: string): Hex {
  const address = parseAddress(text);
  if (address === undefined)
    throw new InvalidArgumentError(
      'It must be an address: 0x and 40 hex digits, in mixed case with the right checksum.',
    );
  return address;
}

export function parseScopeList(text: string): readonly Scope[] {
  try {
    return parseScopes(text.split(',').map((name) => name.trim()));
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}

/** A date alone is its first moment in UTC; a time needs its offset, or it would mean another moment elsewhere. */
export function parseInstant(text: string): Date {
  const instant = new Date(text);
  const day = text.slice(0, 10);
  const realDay =
    instantShape.test(text) && !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
  if (!realDay || Number.isNaN(instant.getTime()))
    throw new InvalidArgumentError('It must be ISO 8601, such as 2030-01-31 or 2030-01-31T12:00:00Z.');
  return instant;
}

export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!/^\d+$/.test(text) || seconds > mostSeconds)
    throw new InvalidArgumentError(`It must be an integer from 0 to ${mostSeconds}.`);
  return seconds;
}

export function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > Number.MAX_SAFE_INTEGER)
    throw new InvalidArgumentError('It must be an integer of at least 1.');
  return count;
}

const mostLanes = 64;

/** The index of a lane. */
export function parseLane(text: string): number {
  const index = Number(text);
  if (!/^\d+$/.test(text) || index >= mostLanes)
    throw new InvalidArgumentError(`A lane must be an integer from 0 to ${mostLanes - 1}.`);
  return index;
}

/** An argument that may be repeated. */
export const parseLanes = (text: string, before: readonly number[] = []): readonly number[] => [
  ...before,
  parseLane(text),
];

/** Wei. */
export function parseEther(text: string): bigint {
  const wei = weiOf(text);
  if (wei === undefined) throw new InvalidArgumentError('It must be an amount of ether, such as 0.25.');
  return wei;
}

export function parsePlace(text: string): LetterPlace {
  const [, partition, offset] = /^(\d{1,9}):(\d{1,18})$/.exec(text) ?? [];
  if (partition === undefined || offset === undefined)
    throw new InvalidArgumentError('It must be a partition and an offset, such as 0:17.');
  return { partition: Number(partition), offset: BigInt(offset) };
}
