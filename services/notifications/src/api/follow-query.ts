import { type Hex, parseAddress } from '@indelible/identifiers';
import type { FollowQuery } from '../use-cases/follow-logs.ts';

export const maxFollowBytes = 4 * 2 ** 20;
const mostAccounts = 50_000;
const longestWaitMs = 60_000;

/** Reads `{"after": {"0x…": 17, "0x…": null}, "wait": 20000}`. @returns or why it is invalid */
export function readFollowQuery(body: unknown): FollowQuery | { readonly fault: string } {
  if (!isObject(body)) return { fault: 'body: an object' };
  const { after, wait } = body;
  if (typeof wait !== 'number' || !Number.isInteger(wait) || wait < 0 || wait > longestWaitMs)
    return { fault: `wait: milliseconds, at most ${longestWaitMs}` };
  if (!isObject(after)) return { fault: 'after: positions by account' };
  const given = Object.entries(after);
  if (given.length > mostAccounts) return { fault: `after: at most ${mostAccounts} accounts` };
  const positions = new Map<Hex, number>();
  const unknown: Hex[] = [];
  for (const [address, position] of given) {
    const account = parseAddress(address);
    if (account === undefined) return { fault: 'after: positions by account' };
    if (position === null) unknown.push(account);
    else if (typeof position === 'number' && Number.isSafeInteger(position) && position >= 0)
      positions.set(account, position);
    else return { fault: 'after: a position, or null for the end of the log' };
  }
  return { after: positions, ends: unknown, waitMs: wait };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
