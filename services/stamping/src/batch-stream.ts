/** The stream of a batch's events in the event store. */
export const batchStream = (batchId: string): string => `batch-${batchId}`;
