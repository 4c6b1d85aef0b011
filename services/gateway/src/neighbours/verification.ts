import type { Hex } from '@indelible/identifiers';
import type { Receipt } from '@indelible/messages';
import type { InternalAddress } from '@indelible/service-runtime';
import type { MinBlock } from '../use-cases/stamping/newest-block.ts';
import { requestJson } from './request-json.ts';

export type CommitmentQuery = {
  readonly cids: readonly Hex[];
  readonly owner: Hex;
  readonly setCid: Hex;
  /** The answer holds everything up to this block. */
  readonly minBlock: MinBlock;
  /** Of the receipts returned, the earliest ones. */
  readonly limit: number;
};

/** Looks commitments up in the verification service. */
export type Verification = {
  /** @throws UnavailableError when it is unreachable or has not reached the block in time */
  lookup(query: CommitmentQuery): Promise<readonly Receipt[]>;
};

const service = 'verification';
/** It waits up to 2 s for its read model. */
const timeoutMs = 10_000;

export const createVerification = (verification: InternalAddress): Verification => ({
  async lookup(query) {
    const request = { service, path: '/internal/commitments/lookup', body: query, timeoutMs };
    return (await requestJson<{ readonly receipts: readonly Receipt[] }>(verification, request)).body.receipts;
  },
});
