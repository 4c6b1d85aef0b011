import { Type } from '@sinclair/typebox';
import { Address, Count, Hash, nullable, Time } from '../fields.ts';
import { definePublicEvent } from '../public-event.ts';
import { sampleReceipt, sampleStamp } from '../samples.ts';

/**
 * The former version, without the block's hash and the place of the log; published beside the next one as long as
 * docs/events.md promises.
 */
export const CollectionCreatedV1 = definePublicEvent({
  name: 'collection.created',
  version: 1,
  schema: Type.Object(
    {
      user_address: Address("The owner's address with its EIP-55 checksum"),
      set_cid: Hash('The collection CID'),
      collection_name: Type.String({ description: 'With the letter case first given' }),
      description: nullable(Type.String(), 'Null when none was given'),
      is_pinned: Type.Boolean({ description: 'As it was registered' }),
      is_public: Type.Boolean({ description: 'Whether other accounts may list it; as it was registered' }),
      transaction_hash: Hash('The transaction that records it'),
      timestamp: Time('The block time in UTC'),
      chain_id: Count('The chain it is on (EIP-155)'),
      block_number: Count('The block that has the transaction'),
      contract_address: Address('The contract that has it, with its EIP-55 checksum'),
    },
    {
      title: 'Collection created',
      description:
        'The collection is on the chain. Again after a reorg took it off the chain and it is recorded once more: the latest holds. Version 2 says the same with the hash of the block and the place of the log, and is published beside this one: handle one of them.',
      examples: [
        {
          user_address: sampleStamp.user_address,
          set_cid: sampleStamp.set_cid,
          collection_name: 'Forest',
          description: 'Readings of the forest',
          is_pinned: false,
          is_public: true,
          transaction_hash: sampleReceipt.transaction_hash,
          timestamp: sampleReceipt.timestamp,
          chain_id: sampleReceipt.chain_id,
          block_number: sampleReceipt.block_number,
          contract_address: sampleReceipt.contract_address,
        },
      ],
    },
  ),
});
