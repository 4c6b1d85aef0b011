/** The stream of a stamp's events in the event store. */
export const stampStream = (stampId: string): string => `stamp-${stampId}`;
