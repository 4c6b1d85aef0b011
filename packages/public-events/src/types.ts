import type { PublicEventType } from './public-event.ts';
import { AccountOpened } from './types/account-opened.ts';
import { CollectionCreated } from './types/collection-created.ts';
import { CollectionCreatedV1 } from './types/collection-created-v1.ts';
import { FileFailed } from './types/file-failed.ts';
import { FileStored } from './types/file-stored.ts';
import { StampConfirmed } from './types/stamp-confirmed.ts';
import { StampFailed } from './types/stamp-failed.ts';
import { StampFinalized } from './types/stamp-finalized.ts';
import { StampReverted } from './types/stamp-reverted.ts';
import { StampSubmitted } from './types/stamp-submitted.ts';
import { WebhookDisabled } from './types/webhook-disabled.ts';
import { WebhookTest } from './types/webhook-test.ts';

/** Every type of public event of the log: on the topic, at `GET /api/v1/events`, and in webhooks. */
export const publicEventTypes: readonly PublicEventType[] = [
  StampSubmitted,
  StampConfirmed,
  StampFinalized,
  StampReverted,
  StampFailed,
  FileStored,
  FileFailed,
  CollectionCreatedV1,
  CollectionCreated,
  AccountOpened,
  WebhookDisabled,
];

/** Every type with a schema, including those for webhooks only. */
export const describedEventTypes: readonly PublicEventType[] = [...publicEventTypes, WebhookTest];

/** Whether the log has such events, and so the topic and `GET /api/v1/events`. */
export const isLogged = (type: PublicEventType): boolean => publicEventTypes.includes(type);

/** The names a filter may have: `stamp.confirmed`. */
export const eventNames: ReadonlySet<string> = new Set(publicEventTypes.map(({ name }) => name));
