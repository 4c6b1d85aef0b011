import { expect, it } from '@jest/globals';
import { eventsOfFinalized } from './report-finalized.ts';

it('a final batch is reported once with its confirmed stamps, and one without any is not', () => {
  const batch = { batchId: 'a', version: 3, blockNumber: 7, blockHash: '0x07', stampIds: ['s1', 's2'] } as const;
  expect(eventsOfFinalized([batch, { ...batch, batchId: 'b', stampIds: [] }], 31_337)).toEqual([
    {
      contract: expect.objectContaining({ type: 'StampsFinalized' }),
      data: { batchId: 'a', chainId: 31_337, blockNumber: 7, blockHash: '0x07', stampIds: ['s1', 's2'] },
      stream: 'batch-a',
      version: 3,
    },
  ]);
});
