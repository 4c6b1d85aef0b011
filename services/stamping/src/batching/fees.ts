import { estimateFees, type Fees, type Rpc } from '@indelible/ethereum';
import { createSharedAnswer } from './shared-answer.ts';

export type FeeSource = {
  /** Current fees of the chain, within the bounds. */
  current(): Promise<Fees>;
  /** The highest offer, in wei per gas. */
  readonly capPerGas: bigint;
};

export function createFeeSource(options: {
  readonly rpc: Rpc;
  readonly capPerGas: bigint;
  /** The most of it that is a tip; where the base fee is higher, as much as that. */
  readonly maxTipPerGas: bigint;
  readonly maxAgeMs: number;
  readonly now: () => number;
}): FeeSource {
  const { rpc, capPerGas, maxTipPerGas, maxAgeMs, now } = options;
  return {
    capPerGas,
    current: createSharedAnswer({
      ask: (signal) => estimateFees(rpc, { signal, capPerGas, maxPriorityFeePerGas: maxTipPerGas }),
      maxAgeMs,
      timeoutMs: 30_000,
      now,
    }),
  };
}
