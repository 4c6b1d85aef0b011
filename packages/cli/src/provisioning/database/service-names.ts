/** The services, in the order of the way of a stamp. */
export const serviceNames = [
  'gateway',
  'stamping',
  'chain-indexer',
  'storage',
  'verification',
  'notifications',
] as const;
export type ServiceName = (typeof serviceNames)[number];
