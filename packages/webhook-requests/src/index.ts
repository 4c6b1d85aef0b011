export { type Network, parseNetworks } from './addresses.ts';
export type { AddressLookup } from './checked-lookup.ts';
export { createSealer, type Sealer } from './sealer.ts';
export { parseSealingKeys, type SealingKey } from './sealing-keys.ts';
export { newWebhookSecret, signedHeaders } from './signatures.ts';
export {
  createWebhookClient,
  type WebhookAnswer,
  type WebhookClient,
  type WebhookClientOptions,
  type WebhookRequest,
} from './webhook-client.ts';
export type { WebhookFault } from './webhook-fault.ts';
export { faultOfWebhookUrl, type UrlOptions } from './webhook-url.ts';
