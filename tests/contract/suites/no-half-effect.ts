import { eventually } from '@indelible/testing';
import { describe, expect, it } from '@jest/globals';
import sha3 from 'js-sha3';
import type { Api } from '../support/api.ts';
import type { ContractStack } from '../support/contract-stack.ts';

/** All the bad input before it had no effect. Must run right after it, before anything is stamped. */
export function noHalfEffect(stack: () => ContractStack, ada: () => Api, before: () => number): void {
  describe('after all that bad input', () => {
    it('no commitment was made and no collection is listed (I6)', async () => {
      expect(await stack().commitments()).toBe(before());
      expect((await ada().get('/collections')).body).toEqual([]);
    });

    it('nothing is left staged (I7)', async () => {
      await eventually(async () => expect(await stack().staged()).toEqual([]));
    });

    it('no service failed or ended, and no key stands in a log (I10)', async () => {
      const { log, connection } = stack();
      expect(log.filter((line) => line.includes('ended with') || line.includes('"msg":"request failed"'))).toEqual([]);
      expect(log.filter((line) => line.includes(connection.apiKey))).toEqual([]);
    });

    it('the service still stamps', async () => {
      const cid = `0x${sha3.sha3_256('after all')}`;
      expect(await ada().stamp({ data_cid: cid })).toMatchObject({
        status: 201,
        body: { commitment_receipt: { object_cid: cid } },
      });
    });
  });
}
