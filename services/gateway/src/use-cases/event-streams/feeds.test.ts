import { setTimeout as delay } from 'node:timers/promises';
import type { Hex } from '@indelible/identifiers';
import { type Logger, UnavailableError } from '@indelible/service-runtime';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { LogNews } from '../../neighbours/event-log.ts';
import { createFeeds, type Feeds } from './feeds.ts';

/** Longer than a feed waits for accounts that join, and than the time between two of them. */
const answerMs = 40;
const churnMs = 2;
const mostNewcomers = 500;

const accountOf = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`;
const resident = accountOf(0);
const never = new AbortController().signal;

/** A slow notifications service; the resident's log has an end that tests move. */
function createSlowLog() {
  let end = 0;
  let isUnavailable = false;
  return {
    append: () => ++end,
    unavailable(now: boolean) {
      isUnavailable = now;
    },
    async follow(after: ReadonlyMap<Hex, number | undefined>, waitMs: number, signal: AbortSignal): Promise<LogNews> {
      for (const over = performance.now() + waitMs; ; ) {
        await delay(answerMs);
        signal.throwIfAborted();
        if (isUnavailable) throw new UnavailableError('notifications answered 503');
        const logs = [...after].flatMap(([account, position]) => {
          const next = account === resident ? end : 0;
          return position === undefined || position < next ? [{ account, events: [], next }] : [];
        });
        if (logs.length > 0 || performance.now() >= over) return { logs, more: false };
      }
    },
  };
}

const started: Feeds[] = [];
afterEach(async () => {
  for (const feeds of started.splice(0)) await feeds.stop();
});

async function setUp() {
  const warnings: unknown[] = [];
  const silent: Logger = {
    debug() {},
    info() {},
    warn: (...line) => void warnings.push(line),
    error() {},
    child: () => silent,
  };
  const log = createSlowLog();
  const feeds = createFeeds({ log, bufferBytes: 2 ** 20, logger: silent });
  await feeds.start();
  started.push(feeds);
  const seat = feeds.join(resident);
  let newcomers = 0;
  return {
    log,
    warnings,
    seat,
    join: () => feeds.join(accountOf(++newcomers)),
    /** Adds new accounts until a condition holds; @returns whether it did */
    async churnUntil(isSo: () => boolean): Promise<boolean> {
      for (let count = 0; count < mostNewcomers && !isSo(); count++) {
        feeds.join(accountOf(++newcomers));
        await delay(churnMs);
      }
      return isSo();
    },
  };
}

describe('while accounts come faster than notifications answer, the feeds', () => {
  it('bring news to those that are there (I12)', async () => {
    const { log, seat, churnUntil } = await setUp();
    let at = await seat.end(never);
    for (let round = 0; round < 3; round++) {
      const end = log.append();
      void seat.news(at, never).then(() => {
        at = end;
      });
      expect(await churnUntil(() => at === end)).toBe(true);
    }
  });

  it('report where their logs end to those that come (I12)', async () => {
    const { join, churnUntil } = await setUp();
    let isKnown = false;
    void join()
      .end(never)
      .then(() => {
        isKnown = true;
      });
    expect(await churnUntil(() => isKnown)).toBe(true);
  });

  it('back off when notifications fail, say so, and go on afterwards (I11)', async () => {
    const { log, seat, warnings, churnUntil } = await setUp();
    const at = await seat.end(never);
    log.unavailable(true);
    expect(await churnUntil(() => warnings.length > 0)).toBe(true);
    log.unavailable(false);
    log.append();
    await seat.news(at, never);
    expect(await seat.end(never)).toBe(1);
  });
});
