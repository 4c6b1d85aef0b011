/** Where a gateway instance hears its replies. */
export const channelOf = (keyPrefix: string, instanceId: string): string => `${keyPrefix}replies:${instanceId}`;
