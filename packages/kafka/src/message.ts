import type { DataOf, MessageContract, StoredPack, TopicName } from '@indelible/messages';

export type Envelope = {
  /** The CloudEvents id, a UUID: a message published again keeps it, so that it takes effect once (I5). */
  readonly id: string;
  /** The time of the fact or request, ISO 8601 in UTC. */
  readonly time: string;
  readonly requestId?: string;
  /** W3C trace context. */
  readonly traceparent?: string;
  /** In place of the contract's key. */
  readonly key?: string;
};

export type OutgoingMessage<Contract extends MessageContract = MessageContract> = Envelope & {
  readonly contract: Contract;
  readonly data: DataOf<Contract>;
};

/** Messages of one contract as a record, encoded and checked when recorded; `id` is the first one's. */
export type OutgoingPack = Pick<Envelope, 'id' | 'time'> & {
  readonly contract: MessageContract;
  /** The body is without the schema's id. */
  readonly pack: Pick<StoredPack, 'key' | 'label' | 'messages'> & { readonly body: Buffer };
};

export type IncomingMessage<Contract extends MessageContract = MessageContract> = {
  readonly contract: Contract;
  readonly data: DataOf<Contract>;
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly source: string;
  readonly time: string;
  readonly key: string;
  readonly requestId?: string;
  readonly traceparent?: string;
  /** Without the prefix of a test. */
  readonly topic: TopicName;
  readonly partition: number;
  readonly offset: string;
  /** For a message from a shared row of the event store: the id of that row's record. */
  readonly packId?: string;
};

/** A message whose data is checked against its contract by the compiler. */
export const outgoing = <Contract extends MessageContract>(
  contract: Contract,
  data: DataOf<Contract>,
  envelope: Envelope,
): OutgoingMessage<Contract> => ({ ...envelope, contract, data });

/** Whether the message is of this contract; its data is then typed. */
export const isMessage = <Contract extends MessageContract>(
  message: IncomingMessage,
  contract: Contract,
): message is IncomingMessage<Contract> =>
  message.contract.type === contract.type && message.contract.version === contract.version;

/** Those of the messages that are of this contract. */
export const messagesOf = <Contract extends MessageContract>(
  messages: readonly IncomingMessage[],
  contract: Contract,
): IncomingMessage<Contract>[] =>
  messages.filter((message): message is IncomingMessage<Contract> => isMessage(message, contract));
