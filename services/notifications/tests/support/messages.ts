import { randomUUID } from 'node:crypto';
import { cidOfContent, type Hex, newId } from '@indelible/identifiers';
import { type OutgoingMessage, outgoing } from '@indelible/kafka';
import {
  AccountOpened,
  CollectionCreated,
  CollectionRegistered,
  FileFailed,
  FileStored,
  type Receipt,
  StampConfirmed,
  StampFailed,
  StampReverted,
  StampsFinalized,
  StampsSubmitted,
} from '@indelible/messages';
import type { Place, Stamp } from '../../src/decisions/facts.ts';

export const hash = (text: string): Hex => cidOfContent(text);
export const account: Hex = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
/** As the API writes it. */
export const shownAccount = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

export const accountOf = (name: string): Hex => `0x${hash(name).slice(2, 42)}`;

export const stampOf = (of: Partial<Stamp> = {}): Stamp => {
  const stampId = of.stampId ?? newId();
  return {
    stampId,
    requestId: newId(),
    account,
    setCid: hash('Forest'),
    objectCid: hash(stampId),
    collectionName: 'Forest',
    clientRef: null,
    ...of,
  };
};

export const receiptOf = (stamp: Stamp, block = 'block 1'): Receipt => ({
  transactionHash: hash('transaction'),
  logIndex: 3,
  blockNumber: 1204,
  blockHash: hash(block),
  blockTime: Date.parse('2026-11-21T04:10:07Z') / 1000,
  chainId: 31337,
  account: stamp.account,
  setCid: stamp.setCid,
  objectCid: stamp.objectCid,
});

const time = '2026-11-21T04:10:08.123Z';
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const envelope = () => ({ id: newId(), time, traceparent });

const reported = ({ stampId, requestId, collectionName, clientRef }: Stamp) => ({
  stampId,
  requestId,
  collectionName,
  clientRef,
});

export const submitted = (
  batchId: string,
  stamps: readonly Stamp[],
  place: Place = { attempt: 1, reversions: 0 },
): OutgoingMessage =>
  outgoing(
    StampsSubmitted,
    {
      batchId,
      chainId: 31337,
      lane: account,
      nonce: 1,
      transactionHash: hash('transaction'),
      submittedAt: time,
      part: 1,
      parts: 1,
      stamps: stamps.map((stamp) => ({ ...stamp, ...place })),
    },
    envelope(),
  );

export const confirmed = (batchId: string, stamp: Stamp, block?: string): OutgoingMessage =>
  outgoing(
    StampConfirmed,
    { ...reported(stamp), batchId, receipt: receiptOf(stamp, block), content: null, replyTo: null },
    envelope(),
  );

export const reverted = (batchId: string, stamp: Stamp, block?: string): OutgoingMessage =>
  outgoing(
    StampReverted,
    { ...reported(stamp), batchId, formerReceipt: receiptOf(stamp, block), revertedAt: time },
    envelope(),
  );

export const finalized = (batchId: string, stamps: readonly Stamp[], block = 'block 1'): OutgoingMessage =>
  outgoing(
    StampsFinalized,
    {
      batchId,
      chainId: 31337,
      blockNumber: 1204,
      blockHash: hash(block),
      stampIds: stamps.map(({ stampId }) => stampId),
    },
    envelope(),
  );

export const failed = (stamp: Stamp): OutgoingMessage =>
  outgoing(
    StampFailed,
    { ...stamp, refusal: { code: 'grant-revoked', message: 'The grant is revoked' }, failedAt: time },
    envelope(),
  );

export const fileStored = (stamp: Stamp, came: 'with-stamp' | 'later' = 'with-stamp'): OutgoingMessage =>
  outgoing(
    FileStored,
    {
      ...stamp,
      fileName: 'reading.json',
      filePath: `${shownAccount}/collections/Forest/stamped/reading.json`,
      size: 4,
      crc32c: 5,
      came,
      replyTo: null,
      storedAt: time,
    },
    envelope(),
  );

export const fileFailed = (stamp: Stamp, came: 'with-stamp' | 'later' = 'with-stamp'): OutgoingMessage =>
  outgoing(FileFailed, { ...stamp, reason: 'The content is missing', came, replyTo: null, failedAt: time }, envelope());

export const collectionRegistered = (owner = account, name = 'Forest'): OutgoingMessage =>
  outgoing(
    CollectionRegistered,
    {
      collectionId: 1,
      account: owner,
      cid: hash(name),
      name,
      description: null,
      isPinned: false,
      isPublic: true,
      registeredAt: time,
    },
    envelope(),
  );

export const collectionCreated = (owner = account, name = 'Forest'): OutgoingMessage =>
  outgoing(
    CollectionCreated,
    {
      collectionId: 1,
      account: owner,
      cid: hash(name),
      chainId: 31337,
      transactionHash: hash('transaction'),
      blockNumber: 1203,
      blockTime: Date.parse('2026-11-21T04:10:05Z') / 1000,
      blockHash: hash('block 0'),
      logIndex: 2,
    },
    envelope(),
  );

export const accountOpened = (owner = account): OutgoingMessage =>
  outgoing(
    AccountOpened,
    {
      account: owner,
      persistentId: randomUUID(),
      grant: { delegate: owner, nonce: 0, signature: `0x${'0'.repeat(130)}`, chainId: 31337, contract: owner },
      openedAt: time,
    },
    envelope(),
  );
