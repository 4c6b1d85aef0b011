import { Type } from '@sinclair/typebox';
import { CommitmentReceipt, stampFields } from '../fields.ts';
import { definePublicEvent } from '../public-event.ts';
import { sampleReceipt, sampleStamp } from '../samples.ts';

export const StampFinalized = definePublicEvent({
  name: 'stamp.finalized',
  version: 1,
  schema: Type.Object(
    { ...stampFields, commitment_receipt: CommitmentReceipt('The receipt of the commitment in the final block') },
    {
      title: 'Stamp finalized',
      description: 'The block of the commitment is final: it is not expected to be reverted.',
      examples: [{ ...sampleStamp, commitment_receipt: sampleReceipt }],
    },
  ),
});
