import type { MessageContract } from '@indelible/messages';

/** An event that a plan records: its contract, data, and position in its stream. */
export type PlannedEvent = {
  readonly contract: MessageContract;
  readonly data: object;
  readonly stream: string;
  readonly version: number;
  readonly requestId?: string;
  /** W3C trace context. */
  readonly traceparent?: string;
};
