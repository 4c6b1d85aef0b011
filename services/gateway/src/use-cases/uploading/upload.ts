import { type Hex, newId } from '@indelible/identifiers';
import { type OutgoingMessage, outgoing } from '@indelible/kafka';
import {
  maxUploadReceipts,
  type Receipt,
  type Refusal,
  type StagedContent,
  StoreUploadedContent,
  type UploadOutcome,
} from '@indelible/messages';
import type { ReplyReceiver } from '@indelible/redis';
import { type AwaitedUpload, untilUploaded } from '../../decisions/wait-for-upload.ts';
import type { FindUpload } from '../../neighbours/storage.ts';
import type { FindCommitments } from '../../neighbours/verification.ts';
import type { RequestTrace } from '../../request-trace.ts';
import { type Command, type CommandPorts, submitAndAwait } from '../commands/submit-and-await.ts';
import type { ReceivedContent } from '../stamping/content.ts';
import type { NewestBlocks } from '../stamping/newest-block.ts';
import type { WaitingRoom } from '../stamping/waiting-room.ts';
import { watchUpload } from './watch-upload.ts';

export type UploadRequest = {
  readonly account: Hex;
  readonly collection: { readonly cid: Hex; readonly name: string };
  readonly content: StagedContent;
  /** The same as received: discarded here, unless a published message may name it (I7). */
  readonly received: ReceivedContent;
  /** Calls `ended` when the client disconnects: the upload continues, the wait ends. */
  readonly onGone?: (ended: () => void) => void;
  readonly trace: RequestTrace;
};

export type UploadAnswer =
  | {
      readonly kind: 'created' | 'existing';
      readonly receipt: Receipt;
      readonly file: { readonly fileName: string; readonly filePath: string };
      /** The file's stamp, if storage knows it. */
      readonly stampId?: string;
    }
  | { readonly kind: 'no-records' }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The wait limit passed: the upload continues, and the same request finds its file. */
  | { readonly kind: 'pending' };

export type UploadPorts = CommandPorts & {
  readonly instanceId: string;
  readonly replies: Pick<ReplyReceiver, 'connected'>;
  readonly waitingRoom: Pick<WaitingRoom, 'enter'>;
  readonly findCommitments: FindCommitments;
  readonly newestBlocks: Pick<NewestBlocks, 'minBlockFor'>;
  readonly findUpload: FindUpload;
  readonly now: () => number;
};

/**
 * Stores content that was stamped earlier: looks up its commitments, including all that this account was notified of
 * (I9), and lets storage decide, which handles the uploads of one content one at a time.
 * @throws retryable errors when another service is unreachable or too many wait
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

/** The commitments of the content in this set, earliest first, up to the limit of one command. */
async function commitmentsOf(
  ports: UploadPorts,
  { account, collection, content }: UploadRequest,
): Promise<readonly Receipt[]> {
  const minBlock = await ports.newestBlocks.minBlockFor(account);
  return await ports.findCommitments({
    cids: [content.objectCid],
    owner: account,
    setCid: collection.cid,
    minBlock,
    limit: maxUploadReceipts,
  });
}

function commandOf(
  ports: UploadPorts,
  request: UploadRequest,
  receipts: readonly Receipt[],
): Command<AwaitedUpload | undefined, UploadOutcome, AwaitedUpload> {
  const requestId = newId();
  const looking = { findUpload: ports.findUpload, repliesArrive: ports.replies.connected };
  return {
    requestId,
    content: request.received,
    mayBePublished: false,
    rules: untilUploaded,
    state: undefined,
    prepare: () => messageOf(ports, request, requestId, receipts),
    published: 'gateway.upload-published',
    watchStatus: (onStatus) => watchUpload(looking, requestId, onStatus),
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
