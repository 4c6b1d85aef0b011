import { Type } from '@sinclair/typebox';
import { CommitmentReceipt, stampFields } from '../fields.ts';
import { definePublicEvent } from '../public-event.ts';
import { sampleReceipt, sampleStamp } from '../samples.ts';

export const StampReverted = definePublicEvent({
  name: 'stamp.reverted',
  version: 1,
  schema: Type.Object(
    { ...stampFields, commitment_receipt: CommitmentReceipt('The former receipt, which holds no longer') },
    {
      title: 'Stamp reverted',
      description:
        'A reorg took the block of the commitment off the canonical chain. The stamp is on its way again: `stamp.confirmed` follows with another receipt, or `stamp.failed`.',
      examples: [{ ...sampleStamp, commitment_receipt: sampleReceipt }],
    },
  ),
});
