import { Counter, Gauge, type Registry } from 'prom-client';

const weiPerEther = 1e18;
/** Weight of a new batch in the average fee of a stamp. */
const newest = 0.1;

/** Metrics of lane balances, spending, and the stamps paid for. */
export function createFeeMetrics(metrics: Registry) {
  const registers = [metrics];
  const balances = new Map<string, number>();
  let feePerStamp: number | undefined;
  const balance = new Gauge({
    name: 'indelible_stamping_lane_balance_ether',
    help: 'What a lane has to pay with, in units of 10^18 wei',
    labelNames: ['lane'],
    registers,
  });
  const lowFunds = new Gauge({
    name: 'indelible_stamping_lane_low_funds',
    help: '1 when a lane cannot pay the largest batch, or is below its reserve',
    labelNames: ['lane'],
    registers,
  });
  const spent = new Counter({
    name: 'indelible_stamping_lane_spent_ether_total',
    help: 'By how much the balance of a lane fell between two looks, in units of 10^18 wei: fees, as far as nothing else is paid from it',
    labelNames: ['lane'],
    registers,
  });
  new Gauge({
    name: 'indelible_stamping_fee_per_stamp_ether',
    help: 'The most that a stamp of the newest batches may cost, in units of 10^18 wei: gas limit times price offered; 0 before the first batch',
    registers,
    collect() {
      this.set(feePerStamp ?? 0);
    },
  });
  const left = new Gauge({
    name: 'indelible_stamping_lane_stamps_left',
    help: 'Stamps that the balance of a lane pays for at the fee of the newest batches',
    labelNames: ['lane'],
    registers,
    collect() {
      if (feePerStamp === undefined) return;
      for (const [lane, ether] of balances) this.set({ lane }, Math.floor(ether / feePerStamp));
    },
  });
  return {
    balance(lane: string, wei: bigint, low: boolean): void {
      const ether = Number(wei) / weiPerEther;
      spent.inc({ lane }, Math.max(0, (balances.get(lane) ?? ether) - ether));
      balances.set(lane, ether);
      balance.set({ lane }, ether);
      lowFunds.set({ lane }, low ? 1 : 0);
    },
    /** This replica no longer holds the lane: its figures for it are outdated. */
    forget(lane: string): void {
      balances.delete(lane);
      balance.remove({ lane });
      lowFunds.remove({ lane });
      left.remove({ lane });
    },
    /** A batch was signed that may cost this much. */
    signed(wei: bigint, stamps: number): void {
      if (stamps === 0) return;
      const fee = Number(wei) / weiPerEther / stamps;
      feePerStamp = feePerStamp === undefined ? fee : feePerStamp + newest * (fee - feePerStamp);
    },
  };
}
