import type { Hex } from '@indelible/identifiers';
import type { ConfirmationOfStamp, FoundStamp, Receipt } from '@indelible/messages';
import { type InternalAddress, PermanentError, UnavailableError } from '@indelible/service-runtime';

export type Stamping = {
  /**
   * Finds the stamps of the commitments of an object in a set, in the order of the receipts.
   * @param receipts at most 500; of each transaction the first ones
   * @returns undefined when stamping is a release without this query
   * @throws UnavailableError; PermanentError when stamping refuses the query; StampingFault
   */
  stampsOf(
    object: { readonly account: Hex; readonly setCid: Hex; readonly objectCid: Hex },
    receipts: readonly Pick<Receipt, 'transactionHash' | 'logIndex'>[],
  ): Promise<readonly FoundStamp[] | undefined>;
  /**
   * Of those of the stamps that are confirmed and have no content of their own; none when stamping is of a release that has no such query,
   * whose confirmations all come as messages.
   * @param stampIds at most 500
   * @throws UnavailableError; PermanentError when stamping refuses the query; StampingFault
   */
  confirmationsOf(stampIds: readonly string[]): Promise<readonly ConfirmationOfStamp[]>;
};

const timeoutMs = 5_000;

/**
 * A defect in stamping, for this query or for all: that is unknown, so its class is `unknown`
 * (docs/adr/0020-errors-of-consumers.md). A command is retried a limited number of times while others succeed.
 */
class StampingFault extends Error {
  override readonly name = 'StampingFault';
}

export function createStamping({ url, headers }: InternalAddress): Stamping {
  /**
   * Undefined when there is no such query. Stamping distinguishes its defects (500) from faults that may pass (503).
   */
  async function post<Body>(path: string, body: object): Promise<Body | undefined> {
    try {
      const response = await fetch(`${url}/internal/stamps/${path}`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (response.ok) return (await response.json()) as Body;
      await response.body?.cancel();
      if (response.status === 404) return undefined;
      if (response.status === 400) throw new PermanentError(`stamping answered 400 to the query ${path}`);
      if (response.status === 500) throw new StampingFault(`stamping answered 500 to the query ${path}`);
      throw new UnavailableError(`stamping answered ${response.status}`);
    } catch (error) {
      if (error instanceof UnavailableError || error instanceof PermanentError || error instanceof StampingFault)
        throw error;
      throw new UnavailableError('stamping does not answer', { cause: error });
    }
  }
  return {
    async stampsOf(object, receipts) {
      const places = receipts.map(({ transactionHash, logIndex }) => ({ transactionHash, logIndex }));
      return (await post<{ stamps: readonly FoundStamp[] }>('of-receipts', { ...object, places }))?.stamps;
    },
    async confirmationsOf(stampIds) {
      const answer = await post<{ confirmations: readonly ConfirmationOfStamp[] }>('confirmations', { stampIds });
      return answer?.confirmations ?? [];
    },
  };
}
