import { type InternalAddress, UnavailableError } from '@indelible/service-runtime';

/** The number of the newest block that chain-indexer has published. */
export type ChainHead = () => Promise<number>;

const timeoutMs = 2_000;

/** @throws UnavailableError when the indexer is away or knows no block yet */
export function createChainHead({ url, headers }: InternalAddress): ChainHead {
  return async () => {
    let head: unknown;
    try {
      const response = await fetch(`${url}/internal/head`, {
        headers,
        signal: AbortSignal.timeout(timeoutMs),
      });
      head = response.ok ? ((await response.json()) as { number?: unknown }).number : undefined;
    } catch (error) {
      throw new UnavailableError('chain-indexer does not answer', { cause: error });
    }
    if (typeof head !== 'number' || !Number.isSafeInteger(head))
      throw new UnavailableError('chain-indexer has no head');
    return head;
  };
}
