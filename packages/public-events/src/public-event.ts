import type { Static, TObject } from '@sinclair/typebox';

export type EventName =
  | 'stamp.submitted'
  | 'stamp.confirmed'
  | 'stamp.finalized'
  | 'stamp.reverted'
  | 'stamp.failed'
  | 'file.stored'
  | 'file.failed'
  | 'collection.created'
  | 'account.opened'
  | 'webhook.disabled'
  | 'webhook.test';

/**
 * The contract of one public event type. A change that today's readers could not read is a new version in a new file.
 */
export type PublicEventType<Schema extends TObject = TObject> = {
  readonly name: EventName;
  readonly version: number;
  /** Of the event's `data`, with title, description and examples. */
  readonly schema: Schema;
};

export type EventData<Type> = Type extends PublicEventType<infer Schema> ? Static<Schema> : never;

export const definePublicEvent = <Schema extends TObject>(type: PublicEventType<Schema>): PublicEventType<Schema> =>
  type;

/** The file name of a type's JSON Schema, here and at `/schemas/`. */
export const schemaFileOf = ({ name, version }: Pick<PublicEventType, 'name' | 'version'>): string =>
  `${name}.v${version}.json`;

/** `ce_type`, which is the registry's subject as well. */
export const ceTypeOf = ({ name, version }: Pick<PublicEventType, 'name' | 'version'>): string =>
  `com.indelible.${name}.v${version}`;
