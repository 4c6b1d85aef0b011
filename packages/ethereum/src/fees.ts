import type { Rpc, RpcCallOptions, RpcOutcome } from './rpc/client.ts';
import { RpcUnavailableError } from './rpc/errors.ts';

/** What is offered for gas, in wei per gas. */
export type Fees =
  | { readonly kind: 'eip1559'; readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
  | { readonly kind: 'legacy'; readonly gasPrice: bigint };

export type FeeLimits = {
  /** The most that is ever offered, in wei per gas. */
  readonly capPerGas?: bigint;
  /** The least tip that is offered, in wei per gas. */
  readonly minPriorityFeePerGas?: bigint;
};

const historyBlocks = 5;

/**
 * Fees that should bring a transaction into one of the next blocks: twice the base fee (room for six full blocks of
 * rising base fee) and a tip like the median of the last blocks. A cap below the base fee gives fees that wait.
 * @throws RpcUnavailableError, RpcAnswerError
 */
export async function estimateFees(rpc: Rpc, options: FeeLimits & RpcCallOptions = {}): Promise<Fees> {
  const { capPerGas, minPriorityFeePerGas = 0n } = options;
  const [block, history, tip, price] = await rpc.batch(
    [
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
      { method: 'eth_feeHistory', params: [`0x${historyBlocks.toString(16)}`, 'latest', [50]] },
      { method: 'eth_maxPriorityFeePerGas', params: [] },
      { method: 'eth_gasPrice', params: [] },
    ],
    options,
  );
  const baseFee = nextBaseFee(history) ?? wei(field(resultOf(block), 'baseFeePerGas'));
  if (wei(field(required(block), 'baseFeePerGas')) === undefined || baseFee === undefined) {
    const gasPrice = wei(required(price));
    if (gasPrice === undefined) throw new RpcUnavailableError('the gas price is malformed');
    return { kind: 'legacy', gasPrice: least(gasPrice, capPerGas) };
  }
  const usual = medianTip(history) ?? wei(resultOf(tip)) ?? 0n;
  const offered = usual > minPriorityFeePerGas ? usual : minPriorityFeePerGas;
  const maxFeePerGas = least(baseFee * 2n + offered, capPerGas);
  return { kind: 'eip1559', maxFeePerGas, maxPriorityFeePerGas: least(offered, maxFeePerGas) };
}

/**
 * Raises every fee by an eighth and a little: nodes take a replacement from 10 % more, or 12.5 %.
 * @returns undefined when the cap leaves no room for a whole raise
 */
export function bumpFees(fees: Fees, { capPerGas }: Pick<FeeLimits, 'capPerGas'> = {}): Fees | undefined {
  const raise = (value: bigint): bigint => (value * 1125n) / 1000n + 1n;
  const fits = (value: bigint): boolean => capPerGas === undefined || value <= capPerGas;
  if (fees.kind === 'legacy') {
    const gasPrice = raise(fees.gasPrice);
    return fits(gasPrice) ? { kind: 'legacy', gasPrice } : undefined;
  }
  const maxFeePerGas = raise(fees.maxFeePerGas);
  const maxPriorityFeePerGas = raise(fees.maxPriorityFeePerGas);
  return fits(maxFeePerGas) ? { kind: 'eip1559', maxFeePerGas, maxPriorityFeePerGas } : undefined;
}

const least = (value: bigint, cap: bigint | undefined): bigint => (cap !== undefined && cap < value ? cap : value);

const resultOf = (outcome: RpcOutcome | undefined): unknown => (outcome?.ok ? outcome.result : undefined);

const required = (outcome: RpcOutcome | undefined): unknown => {
  if (outcome?.ok === false) throw outcome.error;
  return outcome?.result;
};

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

const wei = (value: unknown): bigint | undefined =>
  typeof value === 'string' && /^0x[0-9a-fA-F]+$/.test(value) ? BigInt(value) : undefined;

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The history's last base fee is that of the block to come. */
const nextBaseFee = (history: RpcOutcome | undefined): bigint | undefined =>
  wei(list(field(resultOf(history), 'baseFeePerGas')).at(-1));

/** Blocks without gas say nothing about tips. */
function medianTip(history: RpcOutcome | undefined): bigint | undefined {
  const used = list(field(resultOf(history), 'gasUsedRatio'));
  const tips = list(field(resultOf(history), 'reward'))
    .filter((_, i) => used[i] !== 0)
    .map((block) => wei(list(block)[0]))
    .filter((tip) => tip !== undefined)
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return tips[tips.length >> 1];
}
