import { Type } from '@sinclair/typebox';
import { Address, Time, Uuid } from '../fields.ts';
import { definePublicEvent } from '../public-event.ts';
import { sampleStamp } from '../samples.ts';

export const AccountOpened = definePublicEvent({
  name: 'account.opened',
  version: 1,
  schema: Type.Object(
    {
      user_address: Address("The account's address with its EIP-55 checksum"),
      persistent_id: Uuid('Of the account, for ever'),
      date_joined: Time('When it was opened, in UTC'),
    },
    {
      title: 'Account opened',
      description: 'An account exists and has granted the service to stamp in its name.',
      examples: [
        {
          user_address: sampleStamp.user_address,
          persistent_id: '0198f2c4-7b1e-7c3a-9d52-6e0f8a1b2c3d',
          date_joined: '2026-11-01T08:00:00+00:00',
        },
      ],
    },
  ),
});
