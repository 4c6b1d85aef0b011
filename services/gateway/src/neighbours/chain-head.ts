import { type InternalAddress, UnavailableError } from '@indelible/service-runtime';
import { requestJson } from './request-json.ts';

/** The number of the newest block that chain-indexer has published. */
export type ChainHead = () => Promise<number>;

const service = 'chain-indexer';
const timeoutMs = 2_000;

/** @throws UnavailableError when the indexer does not answer or knows no block yet */
export function createChainHead(indexer: InternalAddress): ChainHead {
  return async () => {
    const request = { service, path: '/internal/head', timeoutMs };
    const { body } = await requestJson<{ readonly number?: unknown }>(indexer, request);
    if (!Number.isSafeInteger(body.number)) throw new UnavailableError('chain-indexer has no head');
    return body.number as number;
  };
}
