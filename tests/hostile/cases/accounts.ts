import { eventually } from '@indelible/testing';
import { afterAll, describe, expect, it } from '@jest/globals';
import { metricOf } from '../../outages/support/disturbances.ts';
import { whileChainStands } from '../support/chain-control.ts';
import { bounds, type HostileSystem } from '../support/hostile-system.ts';
import { seedReceipts } from '../support/seed.ts';
import { type SlowReader, startSlowReader } from '../support/sockets.ts';
import { addressOf, freshCid, recoveryMs, stampBatch, stampPatiently } from '../support/tenants.ts';

const patience = { timeoutMs: recoveryMs };

/** What one account does to shared resources, and to its own. */
export function accountCases(system: () => HostileSystem): void {
  describe('one account', () => {
    it('that takes all waiting places it can while the chain stands leaves places to others (I11, I12)', async () => {
      const { stack, ada, bob } = system();
      const waiting = () =>
        metricOf(stack.stack.services.gateway.internalUrl, 'indelible_gateway_waiting_requests', {});
      const count = bounds.waiting + 100;
      const { flood, others } = await whileChainStands(stack.anvil, async () => {
        let answered = 0;
        const flood = Array.from({ length: count }, () => stampPatiently(ada).finally(() => answered++));
        await eventually(async () => expect((await waiting()) + answered).toBe(count), patience);
        const refused = answered;
        const others = Array.from({ length: 10 }, () => stampPatiently(bob));
        await eventually(async () => expect(await waiting()).toBe(count - refused + others.length), patience);
        return { flood, others };
      });
      for (const { status } of await Promise.all(others)) expect(status).toBe(201);
      const answers = await Promise.all(flood);
      expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThanOrEqual(bounds.waiting / 2);
      expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThan(100);
      await system().expectServiceGoesOn();
    });

    it('whose batch floods stamping delays the stamp of another by one transaction at most (I12)', async () => {
      const { stack, ada, bob } = system();
      const address = await addressOf(ada);
      const inFlight = bounds.batchItems * bounds.batchesInFlight;
      const lines = Array.from({ length: 2 * inFlight }, () => ({ data_cid: freshCid() }));
      const { flood, id, newest } = await whileChainStands(stack.anvil, async () => {
        const flood = stampBatch(ada, lines);
        const before = await eventually(async () => {
          const { rows } = await stack.pool.query<{ batches: number; waiting: number; newest: number }>(
            `select (select count(*)::int from stamping.batches where status = 'signed') as batches,
                    (select max(nonce)::int from stamping.batches) as newest,
                    (select count(*)::int from stamping.waiting_stamps where account = decode($1, 'hex')) as waiting`,
            [address.slice(2)],
          );
          expect(rows[0]).toMatchObject({ batches: bounds.batchesInFlight });
          expect(rows[0]?.waiting).toBeGreaterThan(3 * bounds.batchItems);
          return rows[0] as { newest: number };
        }, patience);
        const { status, body } = await bob.stamp({ data_cid: freshCid() }, ['Prefer: respond-async']);
        expect(status).toBe(202);
        return { flood, id: body.id, newest: before.newest };
      });
      await eventually(
        async () => expect((await bob.get(`/stamps/${id}`)).body.status).toMatch(/^(confirmed|finalized)$/),
        patience,
      );
      const { rows } = await stack.pool.query<{ nonce: number }>(
        'select nonce::int from stamping.batches where $1::uuid = any(stamp_ids)',
        [id],
      );
      expect(rows[0]?.nonce).toBeLessThanOrEqual(newest + 1);
      const results = await flood;
      expect(results).toHaveLength(lines.length);
      expect(results.filter(({ status }) => status !== 'created' && status !== 'pending')).toEqual([]);
      await system().expectServiceGoesOn();
    });

    it('that requests the statuses of a thousand stamps in many requests at once holds up no stamp, and no status of another (I12)', async () => {
      const { stack, ada, bob } = system();
      await stampBatch(
        ada,
        Array.from({ length: 1_000 }, () => ({ data_cid: freshCid() })),
      );
      const { rows } = await stack.pool.query<{ id: string }>(
        `select id from stamping.stamps where account = decode($1, 'hex') limit 1000`,
        [(await addressOf(ada)).slice(2)],
      );
      const ids = rows.map(({ id }) => id);
      expect(ids).toHaveLength(1_000);
      const { body } = await bob.stamp({ data_cid: freshCid() }, ['Prefer: respond-async']);
      const statuses: number[] = [];
      let flooding = true;
      const flood = Array.from({ length: 64 }, async () => {
        while (flooding) statuses.push((await ada.postJson('/stamps/status', { ids })).status);
      });
      try {
        await eventually(() => expect(statuses.length).toBeGreaterThan(64), patience);
        await system().expectServiceGoesOn();
        await eventually(
          async () => expect((await bob.get(`/stamps/${body.id}`)).body.status).toMatch(/^(confirmed|finalized)$/),
          patience,
        );
      } finally {
        flooding = false;
        await Promise.all(flood);
      }
      expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
      expect(statuses).toContain(200);
      await system().expectServiceGoesOn();
    });

    it('that asks for a name in flight with other values gets a 409, and the first one its own (I11)', async () => {
      const { stack, ada } = system();
      const name = 'In flight';
      const { first } = await whileChainStands(stack.anvil, async () => {
        const first = ada.postJson('/collections', { name, description: 'first' });
        await eventually(async () => {
          const { rows } = await stack.pool.query('select 1 from stamping.collections where name = $1', [name]);
          expect(rows).toHaveLength(1);
        }, patience);
        const other = { name, description: 'second', is_pinned: true };
        const { status, body } = await ada.postJson('/collections', other);
        expect([status, body.error]).toEqual([409, 'collection already exists']);
        return { first };
      });
      expect(await first).toMatchObject({ status: 201, body: { name, description: 'first', is_pinned: false } });
      await system().expectServiceGoesOn();
    });
  });

  describe('one reader', () => {
    let readers: readonly SlowReader[] = [];
    afterAll(() => readers.forEach((reader) => void reader.stop()));

    it('who takes twelve answers of /collections/verify slowly keeps no other from verifying (I12)', async () => {
      const { stack, ada, bob } = system();
      const address = await addressOf(ada);
      const name = 'Slowly read';
      const { body: collection } = await ada.postJson('/collections', { name });
      await seedReceipts(stack.pool, { user: address, setCid: String(collection.cid), count: 40_000 });
      const object = { cid: freshCid(), timestamp: new Date().toISOString() };
      readers = await Promise.all(
        Array.from({ length: 12 }, () =>
          startSlowReader(ada, '/collections/verify', { collection_name: name, objects: [object] }),
        ),
      );
      for (let times = 0; times < 5; times++)
        expect((await bob.postJson('/collections/verify', { objects: [object] })).status).toBe(200);
      expect(readers.filter((reader) => reader.isReading())).toHaveLength(12);
      await system().expectServiceGoesOn();
    });
  });
}
