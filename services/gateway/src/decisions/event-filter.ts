import type { CloudEvent } from '@indelible/public-events';

/** Selects some of an account's events. */
export type EventFilter = {
  /** Names such as `stamp.confirmed`; all when undefined. */
  readonly types: ReadonlySet<string> | undefined;
  /** CIDs of collections; when undefined, events of all collections and of the account itself. */
  readonly collections: ReadonlySet<string> | undefined;
};

/** `com.indelible.stamp.confirmed.v1` → `stamp.confirmed`: what filters and the field `event:` name. */
export const nameOf = ({ type }: Pick<CloudEvent, 'type'>): string => type.replace(/^com\.indelible\.|\.v\d+$/g, '');

export const isWanted = (event: { readonly name: string; readonly set: string }, filter: EventFilter): boolean =>
  (filter.types === undefined || filter.types.has(event.name)) &&
  (filter.collections === undefined || filter.collections.has(event.set));

/** Equal for filters with the same meaning. */
export const keyOfFilter = ({ types, collections }: EventFilter): string =>
  `${[...(types ?? ['*'])].sort().join()} ${[...(collections ?? ['*'])].sort().join()}`;
