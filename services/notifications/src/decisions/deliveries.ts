import type { LoggedEvent } from '@indelible/public-events';

export type DeliveryStatus = 'waiting' | 'delivered' | 'failed';

/** The result of an attempt, as stored and reported. */
export type Attempt = {
  /** ISO 8601. */
  readonly at: string;
  /** The HTTP status; null without an answer. */
  readonly status: number | null;
  /** The beginning of the response body. */
  readonly body: string | null;
  /** Why there was no valid response: `timeout: …`. */
  readonly error: string | null;
  readonly durationMs: number;
};

/** The outcome of an event at a webhook, to be stored. */
export type Result = {
  readonly webhookId: string;
  readonly position: number;
  readonly eventId: string;
  readonly type: string;
  /** The collection's CID, or '' for an event of the account. */
  readonly set: string;
  readonly status: DeliveryStatus;
  readonly tries: number;
  /** Requested again: later events of its collection do not wait for it. */
  readonly again: boolean;
  readonly nextAttemptAt: Date | null;
  /** Undefined for an event that waits behind another of its collection. */
  readonly attempt: Attempt | undefined;
};

/** A delivery that waits for its next attempt, with its event. */
export type DueDelivery = {
  readonly position: number;
  readonly event: LoggedEvent;
  readonly set: string;
  readonly tries: number;
  readonly again: boolean;
  readonly dueAt: number;
};

/** The waiting deliveries of a webhook, in its table. */
export type Waiting = {
  readonly total: number;
  /** Count by collection, excluding those requested again. */
  readonly sets: ReadonlyMap<string, number>;
  /** Since when the oldest waits. */
  readonly oldest: Date | null;
  /** The position of the last one; 0 without any. */
  readonly last: number;
};

export const nothingWaiting: Waiting = { total: 0, sets: new Map(), oldest: null, last: 0 };
