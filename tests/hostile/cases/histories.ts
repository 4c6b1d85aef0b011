import { afterAll, describe, expect, it } from '@jest/globals';
import type { HostileSystem } from '../support/hostile-system.ts';
import { seedBacklog, seedCollection, seedHistory, seedReceipts } from '../support/seed.ts';
import { type SlowReader, startSlowReader } from '../support/sockets.ts';
import { stranger } from '../support/strangers.ts';
import { addressOf, expectOrdinaryStamp, freshCid, stampBatch } from '../support/tenants.ts';

/** Excessive growth: by one account, by a stranger on the chain, or in an outage. */
export function historyCases(system: () => HostileSystem): void {
  describe('a long history', () => {
    it('of one identity delays no decision: its requests and those of others go on (I11, I12)', async () => {
      const { stack, ada, bob } = system();
      const data_cid = freshCid();
      await seedHistory(stack.pool, { account: await addressOf(ada), objectCid: data_cid, count: 200_000 });
      const [results] = await Promise.all([
        stampBatch(ada, Array<{ data_cid: string }>(900).fill({ data_cid })),
        expectOrdinaryStamp(bob),
      ]);
      expect(results).toHaveLength(900);
      expect(results.filter(({ status }) => status !== 'created' && status !== 'repeated')).toEqual([]);
      await system().expectServiceGoesOn();
    });
  });

  describe('a stranger’s receipts', () => {
    const setCid = freshCid();
    const objectCid = freshCid();
    const name = 'Annual reports';
    let reader: SlowReader | undefined;
    afterAll(() => reader?.stop());

    it('of one CID, and of one set, by the million keep nobody from verifying either (I11, I12)', async () => {
      const { stack, ada, bob } = system();
      await seedCollection(stack.pool, { user: stranger, setCid, name });
      await seedReceipts(stack.pool, { user: stranger, setCid, objectCid, count: 1_000_001 });
      const mine = await bob.stamp({ data_cid: objectCid });
      expect(mine.status).toBe(201);

      reader = await startSlowReader(ada, '/stamps/verify', { cids: [objectCid] });
      const owned = await bob.postJson('/stamps/verify', { cids: [objectCid], filter_by_user: true });
      expect(owned).toMatchObject({ status: 200, body: { stamp_list: [mine.body.commitment_receipt] } });
      const page = await bob.postJson('/stamps/verify', { cids: [objectCid, freshCid()], limit: 10 });
      expect([page.status, page.body.stamp_list?.length]).toEqual([200, 10]);

      const object = { cid: objectCid, timestamp: '2001-01-01T00:00:05Z' };
      const found = await bob.postJson('/collections/verify?unmatched_receipts=false', {
        collection_name: name,
        objects: [object],
      });
      expect(found.status).toBe(200);
      expect(found.body.collections).toMatchObject([{ name, matched_receipts: [{ set_cid: setCid }] }]);
      expect(reader.isReading()).toBe(true);
      await system().expectServiceGoesOn();
    });
  });

  describe('a backlog', () => {
    it('of tens of megabytes in the outbox is published, and what comes behind it is not held up (I6, I11)', async () => {
      const { stack, ada } = system();
      await seedBacklog(stack.pool, { account: await addressOf(ada), count: 2_000, bytes: 20_000 });
      await system().expectServiceGoesOn();
    });
  });
}
