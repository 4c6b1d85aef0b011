/** Where a stamp's events stand in the event store. */
export const stampStream = (stampId: string): string => `stamp-${stampId}`;
