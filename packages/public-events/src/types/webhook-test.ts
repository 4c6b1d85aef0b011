import { Type } from '@sinclair/typebox';
import { Address, Uuid } from '../fields.ts';
import { definePublicEvent } from '../public-event.ts';
import { sampleStamp } from '../samples.ts';

/** Sent to one webhook on its owner's request: it is in no log, so neither on the topic nor at `GET /api/v1/events`. */
export const WebhookTest = definePublicEvent({
  name: 'webhook.test',
  version: 1,
  schema: Type.Object(
    {
      webhook_id: Uuid('The webhook that is tested'),
      user_address: Address("The owner's address with its EIP-55 checksum"),
    },
    {
      title: 'Webhook test',
      description: 'Sent to one webhook by `POST /api/v1/webhooks/{id}/test`. It reports nothing else.',
      examples: [{ webhook_id: '0198f2c4-7b1e-7c3a-9d52-6e0f8a1b2c3d', user_address: sampleStamp.user_address }],
    },
  ),
});
