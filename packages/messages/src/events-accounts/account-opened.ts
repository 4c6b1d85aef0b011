import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Count, Instant, Signature, Uuid } from '../fields.ts';

/** An account exists and has signed the grant that lets the operator stamp for it; stamping records the grant on chain. */
export const AccountOpened = defineMessage({
  type: 'AccountOpened',
  version: 1,
  topic: 'events.accounts',
  producer: 'accounts',
  consumers: ['notifications', 'stamping'],
  schema: Type.Object({
    account: Address,
    persistentId: Uuid,
    grant: Type.Object({ delegate: Address, nonce: Count, signature: Signature, chainId: Count, contract: Address }),
    openedAt: Instant,
  }),
  key: (data) => data.account,
});
export type AccountOpened = DataOf<typeof AccountOpened>;
