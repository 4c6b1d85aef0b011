import { createHash, randomUUID } from 'node:crypto';
import type { Hex } from '@indelible/identifiers';
import type { Receipt, StagedContent } from '@indelible/messages';
import type { RefusalMessage, StampMessage } from '../../src/decisions/follow-stamp.ts';

export const hash = (words: string): Hex => `0x${createHash('sha256').update(words).digest('hex')}`;
export const account: Hex = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
export const folder = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed/collections/Photos/stamped';
/** 2026-11-21T03:04:05Z */
export const blockTime = 1_795_230_245;

export const claimOf = (
  content: string,
  facts: { size: number; crc32c: number },
  options: { stagedId?: string; fileName?: string } = {},
): StagedContent => ({
  stagedId: options.stagedId ?? randomUUID(),
  objectCid: hash(content),
  fileName: options.fileName ?? 'cat.jpg',
  ...facts,
});

export const receiptOf = (content: string, change: Partial<Receipt> = {}): Receipt => ({
  transactionHash: hash('tx'),
  logIndex: 0,
  blockNumber: 7,
  blockHash: hash('block'),
  blockTime,
  chainId: 31_337,
  account,
  setCid: hash('Photos'),
  objectCid: hash(content),
  ...change,
});

export const requested = (stampId: string, content: StagedContent | null): StampMessage => ({
  id: randomUUID(),
  type: 'StampRequested',
  data: {
    stampId,
    account,
    setCid: hash('Photos'),
    objectCid: content?.objectCid ?? hash('none'),
    collectionName: 'Photos',
    content,
    replyTo: null,
    requestedAt: '2026-11-21T03:04:00.000Z',
  },
});

export const joined = (stampId: string, content: StagedContent | null): StampMessage => ({
  id: randomUUID(),
  type: 'StampRequestJoined',
  data: { requestId: randomUUID(), stampId, account, content },
});

export const confirmed = (
  stampId: string,
  receipt: Receipt,
  content: StagedContent | null,
  options: { replyTo?: string; collectionName?: string | null; requestId?: string; clientRef?: string } = {},
): StampMessage => ({
  id: randomUUID(),
  type: 'StampConfirmed',
  data: {
    ...{ stampId, receipt, collectionName: 'Photos', content, replyTo: null, requestId: null, clientRef: null },
    ...options,
  },
});

export const reverted = (stampId: string): StampMessage => ({
  id: randomUUID(),
  type: 'StampReverted',
  data: { stampId },
});

const refusal = { code: 'refused', message: 'Refused.' };

export const failed = (stampId: string): StampMessage => ({ id: randomUUID(), type: 'StampFailed', data: { stampId } });

export const refused = (content: StagedContent | null): RefusalMessage => ({
  id: randomUUID(),
  type: 'StampRequestRefused',
  data: {
    requestId: randomUUID(),
    account,
    setCid: hash('Photos'),
    objectCid: content?.objectCid ?? hash('none'),
    refusal,
    content,
    requestedAt: '2026-11-21T03:04:00.000Z',
  },
});
