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
   * Messages of one key that are published together share a record, each with its own id: for what comes by the thousand
   * (docs/adr/0013-packed-records.md). Its key must have few values.
   */
  readonly packed?: true;
  readonly producer: string;
  readonly consumers: readonly string[];
};

export type DataOf<Contract> = Contract extends MessageContract<infer Schema> ? Static<Schema> : never;

export const defineMessage = <Schema extends TObject>(contract: MessageContract<Schema>): MessageContract<Schema> =>
  contract;

/** The registry's subject of a message type: one subject per type and version. */
export const subjectOf = (contract: Pick<MessageContract, 'type' | 'version'>): string =>
  `indelible.${contract.type}.v${contract.version}`;
