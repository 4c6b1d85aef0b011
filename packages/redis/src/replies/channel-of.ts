/** Channel of a gateway instance's replies. */
export const channelOf = (keyPrefix: string, instanceId: string): string => `${keyPrefix}replies:${instanceId}`;
