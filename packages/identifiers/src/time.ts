/**
 * Writes a block's time as receipts carry it: UTC, to the second, `YYYY-MM-DDTHH:MM:SS+00:00` (docs/interface.md, Identifiers).
 * @param seconds since 1970
 */
export const receiptTime = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}+00:00`;
