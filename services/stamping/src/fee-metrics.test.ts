import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { createFeeMetrics } from './fee-metrics.ts';

describe('the metrics of fees', () => {
  it('count what a lane spends by the falls of its balance, and show how many stamps the rest pays', async () => {
    const metrics = new Registry();
    const fees = createFeeMetrics(metrics);
    fees.signed(10n ** 17n, 100);
    for (const ether of [10n, 9n, 12n, 11n]) fees.balance('0xa', ether * 10n ** 18n, false);
    const text = await metrics.metrics();
    expect(text).toContain('indelible_stamping_lane_spent_ether_total{lane="0xa"} 2');
    expect(text).toContain('indelible_stamping_lane_stamps_left{lane="0xa"} 11000');
    expect(text).toContain('indelible_stamping_fee_per_stamp_ether 0.001');
  });

  it('show nothing of a lane that this replica holds no longer, and count on when it holds it again', async () => {
    const metrics = new Registry();
    const fees = createFeeMetrics(metrics);
    fees.signed(10n ** 17n, 100);
    for (const ether of [10n, 9n]) fees.balance('0xa', ether * 10n ** 18n, false);
    await metrics.metrics();
    fees.forget('0xa');
    const without = await metrics.metrics();
    expect(without).not.toContain('indelible_stamping_lane_balance_ether{');
    expect(without).not.toContain('indelible_stamping_lane_stamps_left{');
    fees.balance('0xa', 5n * 10n ** 18n, false);
    expect(await metrics.metrics()).toContain('indelible_stamping_lane_spent_ether_total{lane="0xa"} 1');
  });

  it('take a grant, which carries no stamp, for no fee of stamps', async () => {
    const metrics = new Registry();
    const fees = createFeeMetrics(metrics);
    fees.signed(10n ** 18n, 0);
    fees.balance('0xa', 10n ** 18n, true);
    const text = await metrics.metrics();
    expect(text).toContain('indelible_stamping_fee_per_stamp_ether 0\n');
    expect(text).toContain('indelible_stamping_lane_low_funds{lane="0xa"} 1');
    expect(text).not.toContain('indelible_stamping_lane_stamps_left{');
  });
});
