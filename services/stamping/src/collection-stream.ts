/** The stream of a collection's events in the event store. */
export const collectionStream = (collectionId: number): string => `collection-${collectionId}`;
