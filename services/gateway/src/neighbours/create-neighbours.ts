import { internalAddress } from '@indelible/service-runtime';
import type { Config } from '../config.ts';
import { createChainHead } from './chain-head.ts';
import { createEventLog } from './event-log.ts';
import { createFindStampFacts } from './stamping.ts';
import { createFindFiles, createFindUpload } from './storage.ts';
import { createCollectionVerification, createFindCommitments, createReceiptList } from './verification.ts';
import { createWebhooks } from './webhooks.ts';

/** HTTP clients of the other services. */
export function createNeighbours(
  config: Pick<
    Config,
    'stampingUrl' | 'storageUrl' | 'verificationUrl' | 'indexerUrl' | 'notificationsUrl' | 'internalTokens'
  >,
) {
  const internal = (url: string) => internalAddress(url, config.internalTokens);
  const verification = internal(config.verificationUrl);
  const storage = internal(config.storageUrl);
  const notifications = internal(config.notificationsUrl);
  return {
    findFacts: createFindStampFacts(internal(config.stampingUrl)),
    findFiles: createFindFiles(storage),
    findUpload: createFindUpload(storage),
    chainHead: createChainHead(internal(config.indexerUrl)),
    findCommitments: createFindCommitments(verification),
    listReceipts: createReceiptList(verification),
    verifyCollections: createCollectionVerification(verification),
    eventLog: createEventLog(notifications),
    webhooks: createWebhooks(notifications),
  };
}

export type Neighbours = ReturnType<typeof createNeighbours>;
