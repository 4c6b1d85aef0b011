import { type Hex, newId } from '@indelible/identifiers';
import { type OutgoingMessage, outgoing } from '@indelible/kafka';
import {
  maxUploadReceipts,
  type Receipt,
  type Refusal,
  type StagedContent,
  StoreUploadedContent,
} from '@indelible/messages';
import type { ReplyReceiver } from '@indelible/redis';
import { type Command, type CommandPorts, submitAndAwait } from '../commands/submit-and-await.ts';
import { type AwaitedUpload, type UploadState, untilUploaded } from '../decisions/wait-for-upload.ts';
import type { ChainHead } from '../neighbours/chain-head.ts';
import type { FindUpload } from '../neighbours/storage.ts';
import type { Verification } from '../neighbours/verification.ts';
import type { ReceivedContent } from '../stamping/content.ts';
import type { NewestBlocks } from '../stamping/newest-block.ts';
import type { WaitingRoom } from '../stamping/waiting-room.ts';
import { lookForUpload } from './look-for-upload.ts';

export type UploadRequest = {
  readonly account: Hex;
  readonly collection: { readonly cid: Hex; readonly name: string };
  readonly content: StagedContent;
  /** The same as it was received: discarded here, unless a published message may name it (I7). */
  readonly received: ReceivedContent;
  /** Aborts when nobody reads the answer any more: the upload goes on, its wait does not. */
  readonly onGone?: (ended: () => void) => void;
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

export type UploadPorts = CommandPorts & {
  readonly instanceId: string;
  readonly replies: Pick<ReplyReceiver, 'connected'>;
  readonly waitingRoom: Pick<WaitingRoom, 'enter'>;
  readonly verification: Verification;
  readonly newestBlocks: Pick<NewestBlocks, 'of'>;
  readonly chainHead: ChainHead;
  readonly chainId: number;
  readonly findUpload: FindUpload;
  readonly now: () => number;
};

/**
 * Stores content that was stamped earlier: looks its commitments up as far as this account was told of any (I9), and
 * has storage decide, which sees the uploads of one content one after the other.
 * @throws retryable errors when a neighbour is unreachable or too many wait
 */
export async function upload(ports: UploadPorts, request: UploadRequest): Promise<UploadAnswer> {
  try {
    const receipts = await commitmentsOf(ports, request);
    if (receipts.length === 0) return { kind: 'no-records' };
    const ticket = ports.waitingRoom.enter(request.account, request.onGone);
    try {
      return answerOf(await submitAndAwait(ports, commandOf(ports, request, receipts), ticket));
    } finally {
      ticket.leave();
    }
  } finally {
    await request.received.discard();
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

function commandOf(
  ports: UploadPorts,
  request: UploadRequest,
  receipts: readonly Receipt[],
): Command<AwaitedUpload | undefined, UploadState, AwaitedUpload> {
  const requestId = newId();
  const looking = { findUpload: ports.findUpload, repliesHeard: ports.replies.connected };
  return {
    requestId,
    content: request.received,
    mayBePublished: false,
    rules: untilUploaded,
    state: undefined,
    prepare: () => messageOf(ports, request, requestId, receipts),
    published: 'gateway.upload-published',
    lookUp: (see) => lookForUpload(looking, requestId, see),
  };
}

function messageOf(
  ports: UploadPorts,
  { account, collection, content, trace }: UploadRequest,
  requestId: string,
  receipts: readonly Receipt[],
): OutgoingMessage {
  const requestedAt = new Date(ports.now()).toISOString();
  return outgoing(
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
}

function answerOf(awaited: AwaitedUpload): UploadAnswer {
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
