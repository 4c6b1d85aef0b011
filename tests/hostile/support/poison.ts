import { randomBytes, randomUUID } from 'node:crypto';
import { createMessageBus, type MessageBus, type OutgoingMessage, outgoing } from '@indelible/kafka';
import {
  CollectionRegistered,
  CreateCollection,
  FileFailed,
  KeepNonConfirmedContent,
  RequestStamp,
  StampFailed,
  type TopicName,
} from '@indelible/messages';
import { createLogger } from '@indelible/service-runtime';

/** No text column accepts U+0000, and no message schema excludes it. */
const text = 'a\u0000b';
const bytes32 = (): `0x${string}` => `0x${randomBytes(32).toString('hex')}`;

/** A message for each consumed topic with free text, which every reader can decode and no database can hold. */
export function unstorableMessages(account: `0x${string}`): readonly OutgoingMessage[] {
  const now = new Date().toISOString();
  const objectCid = bytes32();
  const content = { stagedId: randomUUID(), objectCid, size: 1, crc32c: 0, fileName: text };
  const asked = () => ({ requestId: randomUUID(), account, requestedAt: now });
  const collectionId = 2 ** 40 + randomBytes(4).readUInt32BE();
  const collection = { collectionId, account, cid: bytes32(), description: null, isPinned: false, isPublic: false };
  const envelope = () => ({ id: randomUUID(), time: now });
  return [
    outgoing(
      CreateCollection,
      { ...asked(), name: randomUUID(), cid: null, description: text, isPinned: false, replyTo: null },
      envelope(),
    ),
    outgoing(
      RequestStamp,
      {
        ...asked(),
        ...{ set: { kind: 'named', name: text }, setCidHint: bytes32(), objectCid, idempotency: null, content: null },
        ...{ awaits: 'decision', replyTo: null, clientRef: text },
      },
      envelope(),
    ),
    outgoing(
      KeepNonConfirmedContent,
      { ...asked(), setCid: bytes32(), objectCid, collectionName: text, content },
      envelope(),
    ),
    outgoing(
      StampFailed,
      {
        ...{ stampId: randomUUID(), requestId: null, account, setCid: bytes32(), objectCid, collectionName: null },
        ...{ clientRef: null, refusal: { code: 'hostile', message: text }, failedAt: now },
      },
      envelope(),
    ),
    outgoing(
      FileFailed,
      {
        ...{ stampId: randomUUID(), requestId: null, account, setCid: bytes32(), objectCid, collectionName: text },
        ...{ clientRef: text, reason: text, came: 'with-stamp' as const, replyTo: null, failedAt: now },
      },
      envelope(),
    ),
    outgoing(CollectionRegistered, { ...collection, name: text, registeredAt: now }, envelope()),
  ];
}

type BusAddress = { readonly kafkaBrokers: string; readonly schemaRegistryUrl: string };

const busOf = (connection: BusAddress, topicPrefix: string): MessageBus =>
  createMessageBus({
    brokers: connection.kafkaBrokers.split(','),
    schemaRegistryUrl: connection.schemaRegistryUrl,
    clientId: 'hostile',
    source: 'indelible/hostile',
    topicPrefix,
    logger: createLogger({ service: 'hostile', level: 'silent' }),
  });

/** Publishes like a service: encoded with the registered schemas, so that only the content is invalid. */
export async function publishAsService(
  connection: BusAddress,
  topicPrefix: string,
  messages: readonly OutgoingMessage[],
): Promise<void> {
  const publisher = busOf(connection, topicPrefix).createPublisher({
    contracts: [...new Set(messages.map(({ contract }) => contract))],
  });
  await publisher.start();
  try {
    await publisher.publish(messages);
  } finally {
    await publisher.stop();
  }
}

/** Number of dead letters of each topic. */
export const countDeadLetters = (connection: BusAddress, topicPrefix: string) =>
  busOf(connection, topicPrefix).deadLetters.count();

/** The ids of the messages that were set aside, of these topics. */
export async function deadLetterIds(
  connection: BusAddress,
  topicPrefix: string,
  topics: readonly TopicName[],
): Promise<ReadonlySet<string | undefined>> {
  const { deadLetters } = busOf(connection, topicPrefix);
  const letters = await Promise.all(topics.map((topic) => deadLetters.list(topic, 1_000)));
  return new Set(letters.flat().map(({ envelope }) => envelope.ce_id));
}
