import { Type } from '@sinclair/typebox';
import { Address, Time, Uuid } from '../fields.ts';
import { definePublicEvent } from '../public-event.ts';
import { sampleStamp } from '../samples.ts';

export const WebhookDisabled = definePublicEvent({
  name: 'webhook.disabled',
  version: 1,
  schema: Type.Object(
    {
      webhook_id: Uuid('The webhook; `GET /api/v1/webhooks/{webhook_id}` has its state'),
      user_address: Address("The owner's address with its EIP-55 checksum"),
      reason: Type.String({
        description: '`failing`: nothing was delivered for five days. `gone`: the receiver answered 410',
      }),
      disabled_at: Time('When it was disabled, in UTC'),
    },
    {
      title: 'Webhook disabled',
      description:
        'Nothing is delivered to the webhook until it is enabled again; delivery then resumes where it stopped, without a gap.',
      examples: [
        {
          webhook_id: '0198f2c4-7b1e-7c3a-9d52-6e0f8a1b2c3d',
          user_address: sampleStamp.user_address,
          reason: 'failing',
          disabled_at: '2026-11-26T04:10:07+00:00',
        },
      ],
    },
  ),
});
