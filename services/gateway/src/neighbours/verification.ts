import type { Hex } from '@indelible/identifiers';
import type { Receipt } from '@indelible/messages';
import { type InternalAddress, UnavailableError } from '@indelible/service-runtime';

export type CommitmentQuery = {
  readonly cids: readonly Hex[];
  readonly owner: Hex;
  readonly setCid: Hex;
  /** The answer holds everything up to this block. */
  readonly minBlock: { readonly chainId: number; readonly number: number };
  /** Of the receipts returned, the earliest ones. */
  readonly limit: number;
};

/** Looks commitments up in the verification service. */
export type Verification = {
  /** @throws UnavailableError when it is unreachable or has not reached the block in time */
  lookup(query: CommitmentQuery): Promise<readonly Receipt[]>;
};

/** It waits up to 2 s for its read model; beyond this it is taken for unreachable. */
const timeoutMs = 10_000;

export function createVerification(verification: InternalAddress): Verification {
  return {
    async lookup(query) {
      const response = await post(verification, query);
      if (!response.ok) throw new UnavailableError(`verification answered ${response.status}`);
      return ((await body(response)) as { receipts: readonly Receipt[] }).receipts;
    },
  };
}

async function post({ url, headers }: InternalAddress, query: CommitmentQuery): Promise<Response> {
  try {
    return await fetch(`${url}/internal/commitments/lookup`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(query),
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    throw new UnavailableError('verification does not answer', { cause: error });
  }
}

async function body(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    throw new UnavailableError("verification's answer broke off", { cause: error });
  }
}
