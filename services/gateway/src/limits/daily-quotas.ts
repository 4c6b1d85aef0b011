import type { Hex } from '@indelible/identifiers';
import type { Logger } from '@indelible/service-runtime';
import { Counter, type Registry } from 'prom-client';
import { HttpError } from '../errors/http-error.ts';
import type { RunLimitScript } from './limit-script.ts';

/** What one account may use of a resource per UTC day, with all its keys and on all replicas. */
export type DailyQuota = {
  /** Takes up to `wanted`, or none if fewer than `least` are left. Never rejects. */
  takeSome(account: Hex, wanted: number, least?: number): Promise<Taken>;
  /** Takes all of it; undefined: at once, and counted. Rejects with HttpError 429 when less is left; nothing is taken then. */
  take(account: Hex, amount: number): Promise<Taken> | undefined;
  /** Gives back what was taken, counted and not used. */
  give(account: Hex, amount: number): void;
  /** Counts a refusal of this many. @returns its error */
  refuse(account: Hex, refused: number): HttpError;
};

/** `isCounted`: false when it was allowed because Redis did not respond. Then it must not be given back. */
export type Taken = { readonly amount: number; readonly isCounted: boolean };

/** What a process took of an account's day in Redis, to use without round trips. */
type Lease = {
  left: number;
  /** End of the day, in ms of the process's clock. */
  until: number;
  refilling: Promise<void> | undefined;
  /** Redis had fewer than `least` a moment ago: it is not queried for as many until `until`. */
  short: { readonly least: number; readonly until: number } | undefined;
  isReported: boolean;
};

/** The part of the quota in a lease, and its bound: the unused rest of a process that dies is lost for the day. */
const leasedPart = 1_000;
const maxLease = { stamps: 1_000, bytes: 16 * 2 ** 20 };
const queriedAgainMs = 1_000;
const maxLeases = 10_000;

/** Takes between `least` and `most` of the day, by the clock of Redis; the key ends with the day. */
const takeScript = `
  local limit, least, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
  local time = redis.call('time')
  local day = 24 * 60 * 60 * 1000
  local left = day - (time[1] * 1000 + math.floor(time[2] / 1000)) % day
  local free = limit - tonumber(redis.call('get', KEYS[1]) or '0')
  local taken = free >= least and math.min(free, most) or 0
  if taken > 0 then
    redis.call('incrby', KEYS[1], string.format('%.0f', taken))
    redis.call('pexpire', KEYS[1], left)
  end
  return { taken, left }`;

const giveScript = `
  local given = math.min(tonumber(ARGV[1]), tonumber(redis.call('get', KEYS[1]) or '0'))
  if given > 0 then redis.call('decrby', KEYS[1], string.format('%.0f', given)) end
  return { given }`;

/**
 * Quotas of accounts (I12), counted in Redis and taken in leases, so that a stamp costs no round trip. Without Redis
 * everything is allowed, and counted.
 * @param options.perDay undefined: no quota
 */
export function createDailyQuotas(options: {
  readonly runScript: RunLimitScript;
  readonly perDay: { readonly stamps: number | undefined; readonly bytes: number | undefined };
  readonly logger: Logger;
  readonly metrics: Registry;
}): { readonly stamps: DailyQuota; readonly bytes: DailyQuota } {
  const { runScript, logger, perDay } = options;
  const decisions = new Counter({
    name: 'indelible_gateway_quota_decisions_total',
    help: 'Stamps, and contents, that the daily quota of an account refused, or that it let pass since Redis did not answer',
    labelNames: ['quota', 'decision'],
    registers: [options.metrics],
  });

  function createQuota(quota: 'stamps' | 'bytes', limit: number | undefined): DailyQuota {
    const leaseSize = Math.min(Math.ceil((limit ?? 0) / leasedPart), maxLease[quota]);
    const leases = new Map<Hex, Lease>();
    const keyOf = (account: Hex): string => `quota:${quota}:${account}`;

    function leaseOf(account: Hex): Lease {
      const known = leases.get(account);
      if (known !== undefined && performance.now() < known.until) return known;
      const until = Number.POSITIVE_INFINITY;
      const lease: Lease = { left: 0, until, refilling: undefined, short: undefined, isReported: false };
      leases.delete(account);
      leases.set(account, lease);
      if (leases.size > maxLeases) dropOldest();
      return lease;
    }
    function dropOldest(): void {
      const [account, { left }] = leases.entries().next().value as [Hex, Lease];
      leases.delete(account);
      if (left > 0) void runScript(giveScript, keyOf(account), left);
    }

    /** Takes more from Redis; other callers wait for it. False: Redis does not answer. */
    async function refill(
      account: Hex,
      lease: Lease,
      { limit, least, most }: { readonly limit: number; readonly least: number; readonly most: number },
    ): Promise<boolean> {
      const taking = runScript(takeScript, keyOf(account), limit, least, most);
      lease.refilling = taking.then(() => {});
      const answer = await taking;
      lease.refilling = undefined;
      if (answer === undefined) return false;
      const [taken = 0, dayLeftMs = 0] = answer;
      const now = performance.now();
      lease.left += taken;
      lease.until = now + dayLeftMs;
      lease.short = taken > 0 ? undefined : { least, until: now + queriedAgainMs };
      return true;
    }

    async function takeSome(account: Hex, wanted: number, least = 1): Promise<Taken> {
      if (limit === undefined) return counted(wanted);
      for (;;) {
        const lease = leaseOf(account);
        const { left, short } = lease;
        if (left < wanted) {
          if (lease.refilling !== undefined) {
            await lease.refilling;
            continue;
          }
          const missing = Math.max(1, least - left);
          const isShort = short !== undefined && missing >= short.least && performance.now() < short.until;
          if (!isShort) {
            const request = { limit, least: missing, most: Math.max(wanted - left, leaseSize) };
            if (await refill(account, lease, request)) continue;
            decisions.inc({ quota, decision: 'open' });
            return { amount: wanted, isCounted: false };
          }
          if (left < least) return counted(0);
        }
        const amount = Math.min(wanted, left);
        lease.left -= amount;
        return counted(amount);
      }
    }

    async function takeWhole(account: Hex, amount: number): Promise<Taken> {
      const taken = await takeSome(account, amount, amount);
      if (taken.amount < amount) throw refuse(account, 1);
      return taken;
    }

    function refuse(account: Hex, refused: number): HttpError {
      decisions.inc({ quota, decision: 'refused' }, refused);
      const lease = leaseOf(account);
      if (!lease.isReported) logger.warn({ account, quota, perDay: limit }, 'Daily quota reached');
      lease.isReported = true;
      const leftMs = Number.isFinite(lease.until) ? lease.until - performance.now() : 0;
      return new HttpError(429, 'daily quota reached', {
        details: `at most ${limit} ${units[quota]} per account and day (UTC)`,
        headers: { 'Retry-After': String(Math.max(1, Math.ceil(leftMs / 1_000))) },
      });
    }

    return {
      takeSome,
      refuse,
      take(account, amount) {
        if (limit === undefined) return undefined;
        const lease = leaseOf(account);
        if (lease.left < amount) return takeWhole(account, amount);
        lease.left -= amount;
        return undefined;
      },
      give(account, amount) {
        if (limit === undefined) return;
        const lease = leaseOf(account);
        lease.left += amount;
        lease.short = undefined;
        if (lease.left <= 2 * leaseSize) return;
        void runScript(giveScript, keyOf(account), lease.left - leaseSize);
        lease.left = leaseSize;
      },
    };
  }

  return { stamps: createQuota('stamps', perDay.stamps), bytes: createQuota('bytes', perDay.bytes) };
}

const counted = (amount: number): Taken => ({ amount, isCounted: true });

const units = { stamps: 'stamps', bytes: 'bytes of content' };
