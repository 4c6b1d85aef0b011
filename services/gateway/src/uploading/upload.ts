import { failpoint } from '@indelible/failpoints';
import { type Hex, newId } from '@indelible/identifiers';
import { MessageInvalidError, outgoing, type Publisher, PublisherBusyError } from '@indelible/kafka';
import {
  maxUploadReceipts,
  type Receipt,
  type Refusal,
  type StagedContent,
  StoreUploadedContent,
} from '@indelible/messages';
import type { ReplyReceiver } from '@indelible/replies';
import type { ChainHead } from '../neighbours/chain-head.ts';
import type { FindUpload } from '../neighbours/storage.ts';
import type { Verification } from '../neighbours/verification.ts';
import type { NewestBlocks } from '../stamping/newest-block.ts';
import type { WaitingRoom } from '../stamping/waiting-room.ts';
import { awaitUpload } from './await-upload.ts';

export type UploadRequest = {
  readonly account: Hex;
  readonly collection: { readonly cid: Hex; readonly name: string };
  readonly content: StagedContent;
  /** Removes the staged content; called unless a published message may name it (I7). */
  readonly discard: () => Promise<void>;
  /** Aborts when nobody reads the answer any more: the upload goes on, its wait does not. */
  readonly gone?: AbortSignal;
  readonly trace: { readonly requestId: string; readonly traceparent?: string };
};

export type UploadAnswer =
  | {
      readonly kind: 'created' | 'existing';
      readonly receipt: Receipt;
      readonly file: { readonly fileName: string; readonly filePath: string };
      /** Whose file it is, where storage knows. */
      readonly stampId?: string;
    }
  | { readonly kind: 'no-records' }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The wait limit passed: the upload goes on, and the same request finds its file. */
  | { readonly kind: 'pending' };

export type UploadPorts = {
  readonly instanceId: string;
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly replies: Pick<ReplyReceiver, 'wait' | 'connected'>;
  readonly waitingRoom: Pick<WaitingRoom, 'enter'>;
  readonly verification: Verification;
  readonly newestBlocks: Pick<NewestBlocks, 'of'>;
  readonly chainHead: ChainHead;
  readonly chainId: number;
  /** Undefined where storage's address is not known: then only replies tell. */
  readonly findUpload: FindUpload | undefined;
  readonly now: () => number;
};

/**
 * Stores content that was stamped earlier: looks its commitments up as far as this account was told of any (I9), and
 * has storage decide, which sees the uploads of one content one after the other.
 * @throws retryable errors when a neighbour is unreachable or too many wait
 */
export async function upload(ports: UploadPorts, request: UploadRequest): Promise<UploadAnswer> {
  /** From here on only storage may remove the staged content. */
  let contentIsNamed = false;
  try {
    const receipts = await commitmentsOf(ports, request);
    if (receipts.length === 0) return { kind: 'no-records' };
    const ticket = ports.waitingRoom.enter(request.account, request.gone);
    try {
      const requestId = newId();
      const waiter = ports.replies.wait(requestId);
      try {
        contentIsNamed = true;
        await publish(ports, request, requestId, receipts).catch((error: unknown) => {
          // These two say that nothing was written; of any other fault the message may have been.
          if (error instanceof PublisherBusyError || error instanceof MessageInvalidError) contentIsNamed = false;
          throw error;
        });
        failpoint('gateway.upload-published');
        return await outcomeOf(ports, requestId, waiter, ticket.signal);
      } finally {
        waiter.close();
      }
    } finally {
      ticket.leave();
    }
  } finally {
    if (!contentIsNamed) await request.discard();
  }
}

/** The commitments of the content in this set, the earliest first, within the bound of one command. */
async function commitmentsOf(
  ports: UploadPorts,
  { account, collection, content }: UploadRequest,
): Promise<readonly Receipt[]> {
  const number = (await ports.newestBlocks.of(account)) ?? (await ports.chainHead());
  return await ports.verification.lookup({
    cids: [content.objectCid],
    owner: account,
    setCid: collection.cid,
    minBlock: { chainId: ports.chainId, number },
    limit: maxUploadReceipts,
  });
}

async function publish(
  ports: UploadPorts,
  { account, collection, content, trace }: UploadRequest,
  requestId: string,
  receipts: readonly Receipt[],
): Promise<void> {
  const requestedAt = new Date(ports.now()).toISOString();
  const command = outgoing(
    StoreUploadedContent,
    {
      requestId,
      account,
      setCid: collection.cid,
      objectCid: content.objectCid,
      collectionName: collection.name,
      receipts: [...receipts],
      content,
      replyTo: ports.instanceId,
      requestedAt,
    },
    { id: requestId, time: requestedAt, ...trace },
  );
  await ports.publisher.publish([command]);
}

async function outcomeOf(
  ports: UploadPorts,
  requestId: string,
  waiter: ReturnType<UploadPorts['replies']['wait']>,
  signal: AbortSignal,
): Promise<UploadAnswer> {
  const waiting = { findUpload: ports.findUpload, repliesHeard: ports.replies.connected };
  const awaited = await awaitUpload(waiting, requestId, waiter, signal);
  switch (awaited.state) {
    case 'limit':
      return { kind: 'pending' };
    case 'refused':
      return { kind: 'refused', refusal: awaited.refusal };
    case 'stored': {
      const { outcome, receipt, fileName, filePath, stampId } = awaited;
      return { kind: outcome, receipt, file: { fileName, filePath }, ...(stampId === undefined ? {} : { stampId }) };
    }
  }
}
