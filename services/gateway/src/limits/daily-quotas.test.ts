import { createLogger } from '@indelible/service-runtime';
import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { countContent } from './content-count.ts';
import { createDailyQuotas, type DailyQuota } from './daily-quotas.ts';

const ada = `0x${'aa'.repeat(20)}` as const;
const bob = `0x${'bb'.repeat(20)}` as const;
const dayLeftMs = 3_600_000;

/** A quota over a Redis in memory. */
function given(limit: number | undefined) {
  const used = new Map<string, number>();
  const lines: Record<string, unknown>[] = [];
  const metrics = new Registry();
  let runs = 0;
  let isAway = false;
  const { stamps: quota } = createDailyQuotas({
    async runScript(script, key, ...values) {
      runs++;
      await Promise.resolve();
      if (isAway) return undefined;
      const known = used.get(key) ?? 0;
      if (script.includes('decrby')) {
        used.set(key, known - Math.min(known, values[0] as number));
        return [];
      }
      const [most, least, wanted] = values as [number, number, number];
      const taken = most - known >= least ? Math.min(most - known, wanted) : 0;
      used.set(key, known + taken);
      return [taken, dayLeftMs];
    },
    perDay: { stamps: limit, bytes: undefined },
    logger: createLogger(
      { service: 'test', level: 'info' },
      { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
    ),
    metrics,
  });
  return {
    quota,
    lines,
    metrics,
    runs: () => runs,
    usedBy: (account: string) => used.get(`quota:stamps:${account}`) ?? 0,
    loseRedis: () => {
      isAway = true;
    },
    findRedis: () => {
      isAway = false;
    },
  };
}
const takeOneByOne = async (quota: DailyQuota, times: number): Promise<number> => {
  let refused = 0;
  await Promise.all(
    Array.from({ length: times }, async () => {
      await quota.take(ada, 1)?.catch(() => refused++);
    }),
  );
  return times - refused;
};

describe('a daily quota', () => {
  it('costs Redis a question for a thousandth of it, however many are taken at once', async () => {
    const { quota, runs, usedBy } = given(1_000_000);
    expect(await takeOneByOne(quota, 10_000)).toBe(10_000);
    expect([runs(), usedBy(ada)]).toEqual([10, 10_000]);
  });

  it('is one account’s: one that has used it up is refused, another is not (I12)', async () => {
    const { quota, lines, runs, metrics } = given(5);
    expect(await takeOneByOne(quota, 8)).toBe(5);
    const before = runs();
    await expect(quota.take(ada, 1)).rejects.toMatchObject({
      status: 429,
      message: 'daily quota reached',
      details: 'at most 5 stamps per account and day (UTC)',
      headers: { 'Retry-After': '3600' },
    });
    // Redis has just said so.
    expect(runs()).toBe(before);
    await quota.take(bob, 5);
    expect(lines).toMatchObject([{ level: 'warn', account: ada, quota: 'stamps', perDay: 5 }]);
    expect(await metrics.metrics()).toContain(
      'indelible_gateway_quota_decisions_total{quota="stamps",decision="refused"} 4',
    );
  });

  it('gives as many as are left, and all or nothing on request', async () => {
    const { quota, usedBy } = given(10);
    expect(await quota.takeSome(ada, 4)).toMatchObject({ amount: 4 });
    expect(await quota.takeSome(ada, 7, 7)).toMatchObject({ amount: 0 });
    expect(await quota.takeSome(ada, 7)).toMatchObject({ amount: 6 });
    expect(await quota.takeSome(ada, 7)).toMatchObject({ amount: 0 });
    expect(usedBy(ada)).toBe(10);
  });

  it('takes back what was not used, so that other replicas can use it', async () => {
    const { quota, usedBy } = given(10_000);
    expect(await quota.takeSome(ada, 10_000)).toMatchObject({ amount: 10_000 });
    await expect(quota.take(ada, 1)).rejects.toMatchObject({ status: 429 });
    quota.give(ada, 5_000);
    await new Promise(setImmediate);
    expect(usedBy(ada)).toBe(5_010);
    expect(await quota.takeSome(ada, 9_000)).toMatchObject({ amount: 5_000 });
  });

  it('lets all through, and counts it, while Redis does not answer', async () => {
    const { quota, loseRedis, metrics } = given(5);
    loseRedis();
    expect(await takeOneByOne(quota, 8)).toBe(8);
    expect(await metrics.metrics()).toContain(
      'indelible_gateway_quota_decisions_total{quota="stamps",decision="open"} 8',
    );
  });

  it('gives no credit for what was let through while Redis did not answer, and was not used', async () => {
    const { quota, loseRedis, findRedis } = given(5);
    expect(await quota.takeSome(ada, 2)).toEqual({ amount: 2, isCounted: true });
    loseRedis();
    expect(await quota.takeSome(ada, 8)).toEqual({ amount: 8, isCounted: false });
    const count = countContent(quota, ada, 8);
    await count.take(1);
    findRedis();
    count.end();
    expect(await takeOneByOne(quota, 10)).toBe(3);
  });

  it('takes back what was counted, whatever was let through before while Redis did not answer', async () => {
    const { quota, loseRedis, findRedis } = given(5);
    loseRedis();
    expect(await takeOneByOne(quota, 8)).toBe(8);
    findRedis();
    const count = countContent(quota, ada, 5);
    await count.take(1);
    count.end();
    expect(await takeOneByOne(quota, 10)).toBe(4);
  });

  it('has no part where none is set', async () => {
    const { quota, runs } = given(undefined);
    expect(await quota.takeSome(ada, 1_000)).toMatchObject({ amount: 1_000 });
    quota.give(ada, 1_000);
    expect(runs()).toBe(0);
  });
});

describe('the bytes of a content', () => {
  it('are what came of it, whatever was announced', async () => {
    const { quota, usedBy } = given(10_000);
    const count = countContent(quota, ada, 6_000);
    await count.take(100);
    expect(usedBy(ada)).toBe(6_000);
    count.end();
    count.end();
    expect(await quota.takeSome(ada, 10_000)).toMatchObject({ amount: 9_900 });
  });

  it('that were not announced are counted as they come, and not at all when they are too many', async () => {
    const { quota } = given(10_000);
    const count = countContent(quota, ada, 0);
    for (let i = 0; i < 10; i++) await count.take(1_000);
    await expect(count.take(1)).rejects.toMatchObject({ status: 429 });
    count.end();
    expect(await quota.takeSome(ada, 20_000)).toMatchObject({ amount: 10_000 });
  });

  it('that cannot have room are refused with the first', async () => {
    const { quota } = given(10_000);
    const count = countContent(quota, ada, 10_001);
    await expect(count.take(1)).rejects.toMatchObject({ status: 429 });
    count.end();
    expect(await quota.takeSome(ada, 20_000)).toMatchObject({ amount: 10_000 });
  });
});
