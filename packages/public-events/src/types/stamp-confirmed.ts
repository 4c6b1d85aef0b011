import { Type } from '@sinclair/typebox';
import { CommitmentReceipt, stampFields } from '../fields.ts';
import { definePublicEvent } from '../public-event.ts';
import { sampleReceipt, sampleStamp } from '../samples.ts';

export const StampConfirmed = definePublicEvent({
  name: 'stamp.confirmed',
  version: 1,
  schema: Type.Object(
    { ...stampFields, commitment_receipt: CommitmentReceipt('The receipt of the commitment on chain') },
    {
      title: 'Stamp confirmed',
      description:
        'The commitment is in a block of the canonical chain, at the configured depth. Again after `stamp.reverted`, with another receipt.',
      examples: [{ ...sampleStamp, commitment_receipt: sampleReceipt }],
    },
  ),
});
