export {
  type CloudEvent,
  cloudEventOf,
  type EventOrigin,
  kafkaRecordOf,
  type LoggedEvent,
  setOf,
  topicKeyOf,
} from './cloud-event.ts';
export { type AsyncApiDocument, createAsyncApi, defaultOrigin } from './documents/async-api.ts';
export { webhooksOnly } from './documents/channel-texts.ts';
export { type FieldRow, fieldRowsOf } from './documents/field-rows.ts';
export { sampleEventOf } from './documents/sample-event.ts';
export { eventIdOf } from './event-id.ts';
export { type PublicSchema, publicSchemas, schemaTextOf } from './json-schemas.ts';
export { fromLogBody, toLogBody } from './log-body.ts';
export { ceTypeOf, type EventData, type EventName, type PublicEventType, schemaFileOf } from './public-event.ts';
export { type PublicTopicSettings, publicTopicDefaults, publicTopicOf } from './topic.ts';
export { AccountOpened } from './types/account-opened.ts';
export { CollectionCreated } from './types/collection-created.ts';
export { CollectionCreatedV1 } from './types/collection-created-v1.ts';
export { FileFailed } from './types/file-failed.ts';
export { FileStored } from './types/file-stored.ts';
export { StampConfirmed } from './types/stamp-confirmed.ts';
export { StampFailed } from './types/stamp-failed.ts';
export { StampFinalized } from './types/stamp-finalized.ts';
export { StampReverted } from './types/stamp-reverted.ts';
export { StampSubmitted } from './types/stamp-submitted.ts';
export { WebhookDisabled } from './types/webhook-disabled.ts';
export { WebhookTest } from './types/webhook-test.ts';
export { describedEventTypes, eventNames, isLogged, publicEventTypes } from './types.ts';
