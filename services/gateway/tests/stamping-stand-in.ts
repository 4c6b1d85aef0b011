import { randomUUID } from 'node:crypto';
import { cidOfCollectionName, type Hex } from '@indelible/identifiers';
import { createMessageBus, isMessage, type OutgoingMessage, outgoing } from '@indelible/kafka';
import {
  CollectionCreated,
  CollectionRegistered,
  CreateCollection,
  KeepNonConfirmedContent,
  type Receipt,
  type Refusal,
  type Reply,
  RequestStamp,
  StampConfirmed,
  type StampFacts,
  StoreUploadedContent,
} from '@indelible/messages';
import { closeRedis, createRedis, createReplySender } from '@indelible/redis';
import type { Logger } from '@indelible/service-runtime';
import type { StatusStandIn } from './status-stand-in.ts';

export type StampingStandIn = Awaited<ReturnType<typeof startStampingStandIn>>;

/** The envelope of a message without a cause. */
export const fresh = () => ({ id: randomUUID(), time: new Date().toISOString() });

/**
 * Replaces stamping and storage: responds to commands with their facts, the events of collections and replies, as each
 * test scripts it. Nothing is sent before `script` is set.
 */
export async function startStampingStandIn(options: {
  readonly brokers: readonly string[];
  readonly schemaRegistryUrl: string;
  readonly redisUrl: string;
  readonly prefix: string;
  readonly chainId: number;
  readonly statuses: StatusStandIn;
  readonly logger: Logger;
}) {
  const { statuses } = options;
  const redis = createRedis(options.redisUrl, { name: 'stamping stand-in', logger: options.logger });
  const sender = createReplySender({ redis, keyPrefix: options.prefix, logger: options.logger });
  const bus = createMessageBus({
    brokers: options.brokers,
    schemaRegistryUrl: options.schemaRegistryUrl,
    clientId: 'stamping-stand-in',
    source: 'test',
    topicPrefix: options.prefix,
    logger: options.logger,
  });
  await bus.provision();
  const publisher = bus.createPublisher({
    contracts: [StampConfirmed, CollectionRegistered, CollectionCreated],
  });
  const commands: RequestStamp[] = [];
  const collectionCommands: CreateCollection[] = [];
  const uploadCommands: StoreUploadedContent[] = [];
  const asideCommands: KeepNonConfirmedContent[] = [];
  let collectionIds = 0;
  let blockNumber = 100;
  let script: (command: RequestStamp) => Promise<void> = async () => {};
  let collectionScript: (command: CreateCollection) => Promise<void> = async () => {};
  let uploadScript: (command: StoreUploadedContent) => Promise<void> = async () => {};

  const emit = (message: OutgoingMessage): Promise<void> => publisher.publish([message]);
  const reply = async (replyTo: string | null, answer: Reply): Promise<void> => {
    if (replyTo !== null) await sender.send([{ replyTo, reply: answer }]);
  };
  const consumer = bus.createConsumer({
    groupId: 'stamping-stand-in',
    contracts: [RequestStamp, CreateCollection, StoreUploadedContent, KeepNonConfirmedContent],
    concurrency: 4,
    async handle(messages) {
      for (const message of messages) {
        if (isMessage(message, RequestStamp)) {
          commands.push(message.data);
          void script(message.data);
        } else if (isMessage(message, CreateCollection)) {
          collectionCommands.push(message.data);
          void collectionScript(message.data);
        } else if (isMessage(message, StoreUploadedContent)) {
          uploadCommands.push(message.data);
          void uploadScript(message.data);
        } else if (isMessage(message, KeepNonConfirmedContent)) asideCommands.push(message.data);
      }
    },
  });
  await publisher.start();
  await consumer.start();

  const setCidOf = (command: RequestStamp): Hex => command.setCidHint;
  const receiptOf = (command: RequestStamp, blockTime = Math.floor(Date.now() / 1000)): Receipt => ({
    transactionHash: `0x${'ab'.repeat(32)}`,
    logIndex: 0,
    blockNumber: blockNumber++,
    blockHash: `0x${'cd'.repeat(32)}`,
    blockTime,
    chainId: options.chainId,
    account: command.account,
    setCid: setCidOf(command),
    objectCid: command.objectCid,
  });

  const registerCollection = async (
    account: Hex,
    name: string,
    settings: { cid?: Hex; description?: string | null; isPinned?: boolean; isPublic?: boolean } = {},
  ): Promise<{ collectionId: number; cid: Hex }> => {
    const collectionId = ++collectionIds;
    const cid = settings.cid ?? cidOfCollectionName(name);
    await emit(
      outgoing(
        CollectionRegistered,
        {
          collectionId,
          account,
          cid,
          name,
          description: settings.description ?? null,
          isPinned: settings.isPinned ?? false,
          isPublic: settings.isPublic ?? true,
          registeredAt: new Date().toISOString(),
        },
        fresh(),
      ),
    );
    return { collectionId, cid };
  };
  const confirmCollection = (account: Hex, collectionId: number, cid: Hex): Promise<void> =>
    emit(
      outgoing(
        CollectionCreated,
        {
          collectionId,
          account,
          cid,
          chainId: options.chainId,
          transactionHash: `0x${'ab'.repeat(32)}`,
          blockNumber: blockNumber++,
          blockTime: Math.floor(Date.now() / 1000),
          blockHash: `0x${'bb'.repeat(32)}`,
          logIndex: 0,
        },
        fresh(),
      ),
    );

  const factsOf = (command: RequestStamp): StampFacts => ({
    ...{ id: command.requestId, account: command.account, objectCid: command.objectCid, setCid: setCidOf(command) },
    ...{ requestedAt: command.requestedAt, status: 'accepted', receipt: null, refusal: null },
    ...{ hasContent: command.content !== null, wasConfirmed: false },
  });
  const accept = async (command: RequestStamp): Promise<void> => {
    const { requestId } = command;
    statuses.note(factsOf(command));
    await reply(command.replyTo, { requestId, kind: 'decided', decision: 'new', stampId: requestId });
  };
  const confirm = async (
    command: RequestStamp,
    settings: { receipt?: Receipt; collectionCreated?: boolean } = {},
  ): Promise<Receipt> => {
    const receipt = settings.receipt ?? receiptOf(command);
    const { requestId, content, replyTo } = command;
    statuses.note({ ...factsOf(command), status: 'confirmed', receipt, wasConfirmed: true });
    await reply(replyTo, {
      requestId,
      kind: 'confirmed',
      outcome: 'created',
      stampId: requestId,
      receipt,
      collectionCreated: settings.collectionCreated ?? false,
      awaitsFile: content !== null,
    });
    if (content !== null) await store(command);
    return receipt;
  };
  const store = async (command: RequestStamp): Promise<void> => {
    const { requestId, content, account, replyTo } = command;
    if (content === null) return;
    const fileName = `stored_${content.fileName}`;
    const filePath = `${account}/stamped/${fileName}`;
    statuses.store({ stampId: requestId, status: 'success', came: 'with-stamp', fileName, filePath, fault: null });
    await reply(replyTo, { requestId, kind: 'stored', stampId: requestId, fileName, filePath });
  };
  const repeat = async (command: RequestStamp, stampId: string, receipt: Receipt): Promise<void> => {
    const { requestId, replyTo } = command;
    statuses.join(requestId, stampId);
    await reply(replyTo, {
      requestId,
      kind: 'confirmed',
      outcome: 'repeated',
      stampId,
      receipt,
      collectionCreated: false,
      awaitsFile: false,
    });
  };
  const join = async (command: RequestStamp, stampId: string): Promise<void> => {
    const { requestId, replyTo } = command;
    statuses.join(requestId, stampId);
    await reply(replyTo, { requestId, kind: 'decided', decision: 'joined', stampId });
  };
  /** Even with a later version's code. */
  const refuse = async (command: RequestStamp, decided: { code: string; message: string }): Promise<void> => {
    const { requestId } = command;
    const refusal = decided as Refusal;
    statuses.note({ ...factsOf(command), status: 'failed', refusal, hasContent: false });
    await reply(command.replyTo, { requestId, kind: 'refused', refusal });
  };

  return {
    commands,
    collectionCommands,
    uploadCommands,
    asideCommands,
    emit,
    reply,
    accept,
    confirm,
    repeat,
    join,
    refuse,
    receiptOf,
    registerCollection,
    confirmCollection,
    /** Accepts and confirms whatever comes. */
    confirmAll(): void {
      script = async (command) => {
        await accept(command);
        await confirm(command);
      };
    },
    script(next: typeof script): void {
      script = next;
    },
    scriptCollections(next: typeof collectionScript): void {
      collectionScript = next;
    },
    scriptUploads(next: typeof uploadScript): void {
      uploadScript = next;
    },
    async stop() {
      await consumer.stop();
      await publisher.stop();
      await closeRedis(redis);
    },
  };
}
