import type { Hex } from '@indelible/identifiers';
import type { Receipt } from '@indelible/messages';
import { PermanentError, UnavailableError } from '@indelible/service-runtime';

export type CommitmentQuery = {
  readonly cids: readonly Hex[];
  readonly owner?: Hex;
  /** The answer knows everything up to this block. */
  readonly minBlock: { readonly chainId: number; readonly number: number };
};

/** Asks the verification service for commitments. */
export type Verification = {
  /** @throws UnavailableError when it is away or has not reached the block in time; TooManyReceiptsError */
  lookup(query: CommitmentQuery): Promise<readonly Receipt[]>;
};

/** More receipts than one answer may hold. */
export class TooManyReceiptsError extends PermanentError {}

/** It waits up to 2 s for its read model; beyond this it is taken for away. */
const timeoutMs = 10_000;

export function createVerification(url: string): Verification {
  return {
    async lookup(query) {
      const response = await post(`${url}/internal/commitments/lookup`, query);
      if (response.status === 413) throw new TooManyReceiptsError('too many receipts for one answer');
      if (!response.ok) throw new UnavailableError(`verification answered ${response.status}`);
      return ((await body(response)) as { receipts: readonly Receipt[] }).receipts;
    },
  };
}

async function post(url: string, query: CommitmentQuery): Promise<Response> {
  try {
    return await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
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
