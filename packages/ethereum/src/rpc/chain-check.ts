import { RpcUnavailableError } from './errors.ts';

/** Whether an endpoint serves the expected chain: checked every minute and in doubt. */
export type ChainCheck = {
  state(): 'unchecked' | 'right' | 'wrong';
  /** It serves another chain, and was checked recently. */
  isOut(): boolean;
  /** @throws RpcUnavailableError */
  chainId(): Promise<number>;
  /** @throws RpcUnavailableError when it serves another chain, or does not respond */
  require(): Promise<void>;
  /** After a fault, another node may come back. */
  doubt(): void;
};

export type ChainCheckSettings = {
  readonly host: string;
  /** Undefined: any chain is right. */
  readonly expected: number | undefined;
  /** The result of eth_chainId. @throws RpcUnavailableError */
  readonly ask: () => Promise<unknown>;
  readonly now: () => number;
  readonly onWrong: (chainId: number) => void;
  readonly onRight: () => void;
};

const trustMs = 60_000;

export function createChainCheck({ host, expected, ask, now, onWrong, onRight }: ChainCheckSettings): ChainCheck {
  let actual: number | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<number> | undefined;

  const state = (): 'unchecked' | 'right' | 'wrong' => {
    if (expected === undefined || actual === undefined) return 'unchecked';
    return actual === expected ? 'right' : 'wrong';
  };
  const isFresh = (): boolean => now() - askedAt <= trustMs;

  const askNow = async (): Promise<number> => {
    const reported = readChainId(await ask(), host);
    const before = state();
    const isNews = reported !== actual;
    actual = reported;
    askedAt = now();
    if (isNews && state() === 'wrong') onWrong(reported);
    if (before === 'wrong' && state() === 'right') onRight();
    return reported;
  };

  const chainId = (): Promise<number> => {
    if (actual !== undefined && isFresh()) return Promise.resolve(actual);
    asking ??= askNow().finally(() => {
      asking = undefined;
    });
    return asking;
  };

  return {
    state,
    isOut: () => state() === 'wrong' && isFresh(),
    chainId,
    require: async () => {
      if (expected === undefined) return;
      const reported = await chainId();
      if (reported === expected) return;
      const message = `${host} is of chain ${reported}, not ${expected}`;
      throw new RpcUnavailableError(message, { fault: 'wrong-chain' });
    },
    doubt: () => {
      askedAt = Number.NEGATIVE_INFINITY;
    },
  };
}

function readChainId(result: unknown, host: string): number {
  const id = typeof result === 'string' ? Number(result) : Number.NaN;
  if (!Number.isSafeInteger(id) || id <= 0) throw new RpcUnavailableError(`the chain id of ${host} is malformed`);
  return id;
}
