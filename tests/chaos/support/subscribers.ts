import { startStreamReader } from '../../public-events/support/read-stream.ts';
import { startWebhookReceiver } from '../../public-events/support/receive-webhooks.ts';
import type { FaultySubscriber } from '../../public-events/support/subscriber.ts';
import type { World } from './world.ts';

/** Each tenant has a stream of its events, a webhook, and one whose events come in order. */
export async function subscribeFromOutside({ connection, tenants }: World): Promise<readonly FaultySubscriber[]> {
  const { rootUrl } = connection;
  const subscribers = tenants.map(async ({ address, apiKey }) => [
    startStreamReader(rootUrl, address, apiKey),
    await startWebhookReceiver({ rootUrl, address, apiKey }, false),
    await startWebhookReceiver({ rootUrl, address, apiKey }, true),
  ]);
  return (await Promise.all(subscribers)).flat();
}
