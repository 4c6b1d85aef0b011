import { randomUUID } from 'node:crypto';
import type { Receipt, StagedContent } from '@indelible/messages';
import type { UploadMessage } from '../../src/use-cases/record-upload.ts';
import { account, hash } from './stamps.ts';

/** The command of an upload, as the gateway publishes it. */
export const upload = (
  content: StagedContent,
  receipts: readonly Receipt[],
  change: Partial<UploadMessage['data']> = {},
): UploadMessage => {
  const requestId = randomUUID();
  return {
    id: requestId,
    data: {
      requestId,
      account,
      setCid: hash('Photos'),
      objectCid: content.objectCid,
      collectionName: 'Photos',
      receipts: [...receipts],
      content,
      replyTo: 'gateway-1',
      requestedAt: '2026-11-21T03:05:00.000Z',
      ...change,
    },
  };
};
