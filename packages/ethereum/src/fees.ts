import { RpcUnavailableError } from './rpc/errors.ts';
import type { Rpc, RpcCallOptions, RpcOutcome } from './rpc/port.ts';

/** What is offered for gas, in wei per gas. */
export type Fees =
  | { readonly kind: 'eip1559'; readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
  | { readonly kind: 'legacy'; readonly gasPrice: bigint };

export type FeeLimits = {
  /** The most that is ever offered, in wei per gas. */
  readonly capPerGas?: bigint;
  /** The least tip that is offered, in wei per gas. */
  readonly minPriorityFeePerGas?: bigint;
  /** The maximum tip, in wei per gas; the base fee if that is higher. */
  readonly maxPriorityFeePerGas?: bigint;
};

export type BumpPolicy = Pick<FeeLimits, 'capPerGas'>;

const historyBlocks = 5;

/**
 * Fees that should bring a transaction into one of the next blocks: twice the base fee (room for six full blocks of
 * rising base fee) and a tip like the median of the last blocks, bounded since anybody can raise it in quiet blocks.
 * With a cap below the base fee the transaction waits.
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
  const mostTip = options.maxPriorityFeePerGas;
  const bounded = mostTip === undefined ? usual : least(usual, most(mostTip, baseFee));
  const offered = most(bounded, minPriorityFeePerGas);
  const maxFeePerGas = least(baseFee * 2n + offered, capPerGas);
  return { kind: 'eip1559', maxFeePerGas, maxPriorityFeePerGas: least(offered, maxFeePerGas) };
}

/**
 * The fees of a replacement with the same nonce: every one an eighth higher, rounded up (nodes require 10 % more, or
 * 12.5 %), and at least the market's fees now. Its kind is that of the fees before.
 * @param market fees for now, as estimateFees gives them
 * @returns `capped` when the cap leaves no room for that
 */
export function bumpFees(previous: Fees, market: Fees, { capPerGas }: BumpPolicy = {}): Fees | 'capped' {
  const fits = (value: bigint): boolean => capPerGas === undefined || value <= capPerGas;
  const price = priceOf(market);
  if (previous.kind === 'legacy') {
    const gasPrice = most(raised(previous.gasPrice), price);
    return fits(gasPrice) ? { kind: 'legacy', gasPrice } : 'capped';
  }
  const tip = market.kind === 'legacy' ? 0n : market.maxPriorityFeePerGas;
  const maxPriorityFeePerGas = most(raised(previous.maxPriorityFeePerGas), tip);
  const maxFeePerGas = most(raised(previous.maxFeePerGas), price, maxPriorityFeePerGas);
  return fits(maxFeePerGas) ? { kind: 'eip1559', maxFeePerGas, maxPriorityFeePerGas } : 'capped';
}

/**
 * The market's fees, limited to a maximum per gas. They allow the base fee to double: with less than half of them
 * nothing would be included.
 * @returns `too-little` when less than half is left
 */
export function lowerFees(market: Fees, mostPerGas: bigint): Fees | 'too-little' {
  const price = priceOf(market);
  if (mostPerGas * 2n < price || mostPerGas <= 0n) return 'too-little';
  if (market.kind === 'legacy') return { kind: 'legacy', gasPrice: least(price, mostPerGas) };
  const maxFeePerGas = least(price, mostPerGas);
  return { kind: 'eip1559', maxFeePerGas, maxPriorityFeePerGas: least(market.maxPriorityFeePerGas, maxFeePerGas) };
}

/** The most that is paid for a unit of gas. */
export const priceOf = (fees: Fees): bigint => (fees.kind === 'legacy' ? fees.gasPrice : fees.maxFeePerGas);

/** The price per unit of gas with fees of `estimateFees` if the base fee, which they offer twice, does not change. */
export const likelyPriceOf = (fees: Fees): bigint =>
  fees.kind === 'legacy' ? fees.gasPrice : (fees.maxFeePerGas + fees.maxPriorityFeePerGas) / 2n;

/** Raises zero, too: a node accepts no replacement with equal fees. */
const raised = (value: bigint): bigint => most((value * 9n + 7n) / 8n, value + 1n);

const most = (...values: readonly [bigint, ...bigint[]]): bigint => {
  let [highest] = values;
  for (const value of values) if (value > highest) highest = value;
  return highest;
};

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
