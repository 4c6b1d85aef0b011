import { estimateFees, type Fees, type Rpc } from '@indelible/ethereum';

export type FeeSource = {
  current(signal: AbortSignal): Promise<Fees>;
  /** The most that is ever offered, in wei per gas; undefined where none is configured. */
  readonly capPerGas: bigint | undefined;
};

/** Fees as the chain asks for now, asked for at most once per `maxAgeMs`: many batches of one block share an answer. */
export function createFeeSource(options: {
  readonly rpc: Rpc;
  readonly capPerGas: bigint | undefined;
  readonly maxAgeMs: number;
  readonly now: () => number;
}): FeeSource {
  let known: { at: number; fees: Promise<Fees> } | undefined;
  return {
    capPerGas: options.capPerGas,
    current(signal) {
      if (known !== undefined && options.now() - known.at < options.maxAgeMs) return known.fees;
      const fees = estimateFees(options.rpc, {
        signal,
        ...(options.capPerGas === undefined ? {} : { capPerGas: options.capPerGas }),
      });
      known = { at: options.now(), fees };
      fees.catch(() => {
        known = undefined;
      });
      return fees;
    },
  };
}
