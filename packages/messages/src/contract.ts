import type { Static, TObject } from '@sinclair/typebox';

export type TopicName =
  | 'commands.stamps'
  | 'commands.collections'
  | 'commands.files'
  | 'events.accounts'
  | 'events.chain'
  | 'events.collections'
  | 'events.files'
  | 'events.requests'
  | 'events.stamps';

/**
 * A common property of a record's messages, in its header: a consumer may skip a label without reading them.
 * `no-content`: no staged content comes with the message.
 */
export type RecordLabel = 'no-content';

/**
 * What one type of message promises. A change that an old reader could not read is a new contract in a new file with
 * the next version; the registry holds each under the subject {@link subjectOf} with compatibility BACKWARD.
 */
export type MessageContract<Schema extends TObject = TObject> = {
  /** The CloudEvents type: imperative for a command, past tense for an event. */
  readonly type: string;
  readonly version: number;
  readonly topic: TopicName;
  readonly schema: Schema;
  /** Messages with equal keys are read in the order they were written. */
  key(data: Static<Schema>): string;
  /**
   * Messages of one key that are published together share a record, each with its own id: for bulk messages
   * (docs/hot-path.md, Packs). Its key must have few values.
   */
  readonly packed?: true;
  /**
   * The label of its record, the same for all messages in it. Depends on the data alone, so that any release's relay
   * can label events recorded by any other.
   */
  label?(data: Static<Schema>): RecordLabel | undefined;
  /**
   * Events of it that have this label and are recorded together share a row of the event store, too, which holds the
   * record of their messages (docs/adr/0034-a-row-a-pack.md). Its stream is `prefix` followed by the field `by` of its
   * data.
   */
  readonly pooled?: { readonly label: RecordLabel; readonly prefix: string; readonly by: string };
  readonly producer: string;
  readonly consumers: readonly string[];
};

export type DataOf<Contract> = Contract extends MessageContract<infer Schema> ? Static<Schema> : never;

export const defineMessage = <Schema extends TObject>(contract: MessageContract<Schema>): MessageContract<Schema> =>
  contract;

/** The registry's subject of a message type: one subject per type and version. */
export const subjectOf = (contract: Pick<MessageContract, 'type' | 'version'>): string =>
  `indelible.${contract.type}.v${contract.version}`;
