/** The services, in a stamp's order. */
export const serviceNames = [
  'gateway',
  'stamping',
  'chain-indexer',
  'storage',
  'verification',
  'notifications',
] as const;
export type ServiceName = (typeof serviceNames)[number];
