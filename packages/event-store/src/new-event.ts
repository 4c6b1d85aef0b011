import type { DataOf, MessageContract } from '@indelible/messages';

/** An event to record. `version` is its place in the stream: if taken, another decision was faster. */
export type NewEvent = {
  readonly stream: string;
  readonly version: number;
  readonly contract: MessageContract;
  readonly data: object;
  /** The message's id, for events whose identity follows from the fact itself; a random one otherwise. */
  readonly id?: string;
  readonly requestId?: string;
  readonly traceparent?: string;
  /** It gets its own row, even if its contract is pooled. */
  readonly alone?: true;
};

/** Builds an event whose data is checked against its contract's type. */
export const newEvent = <Contract extends MessageContract>(
  contract: Contract,
  data: DataOf<Contract>,
  place: Pick<NewEvent, 'stream' | 'version' | 'id' | 'requestId' | 'traceparent'>,
): NewEvent => ({ ...place, contract, data: data as object });
