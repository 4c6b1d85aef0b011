import { randomBytes } from 'node:crypto';
import { eventually, recordedEvents } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { commitmentsOf, expectHonestLanes, expectOneCommitment } from './support/chain.ts';
import { type Death, deathOf, expectDied } from './support/crash.ts';
import { type CrashStack, recoveryMs, startCrashStack } from './support/crash-stack.ts';
import { ask } from './support/patient.ts';
import { expectAllHeard, expectOnceEverywhere, stampIdOf, statusesOf } from './support/records.ts';
import type { placesBetweenParts } from './support/rounds.ts';

jest.setTimeout(300_000);

let running: CrashStack;
beforeAll(async () => {
  running = await startCrashStack();
});
afterAll(() => running?.stop());

const newCid = (): string => `0x${randomBytes(32).toString('hex')}`;
const between = (place: (typeof placesBetweenParts)[number]): Death => deathOf(place);
const bytesOf = (cids: readonly string[]): Buffer[] => cids.map((cid) => Buffer.from(cid.slice(2), 'hex'));

/** Stamps so many, more than a transaction takes at once, however they are divided into batches: one is in a batch before all others. */
async function stampMany(): Promise<readonly string[]> {
  const { rootUrl, apiKey } = running.connection;
  const cids = Array.from({ length: 2_701 }, newCid);
  const stampSome = async (some: readonly string[]): Promise<void> => {
    const response = await fetch(`${rootUrl}/api/v1/stamps/batch`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/x-ndjson' },
      body: some.map((cid) => `${JSON.stringify({ data_cid: cid, collection_name: 'Many' })}\n`).join(''),
    });
    const lines = (await response.text()).trimEnd().split('\n');
    expect(lines.filter((line) => (JSON.parse(line) as { status: string }).status !== 'created')).toEqual([]);
  };
  await stampSome(cids.slice(0, 1));
  await Promise.all([1, 901, 1_801].map((from) => stampSome(cids.slice(from, from + 900))));
  return cids;
}

/** How often each sequence of events is that of one of these stamps. */
async function historiesOf(cids: readonly string[]): Promise<Record<string, number>> {
  const { rows } = await running.pool.query<{ stream: string }>(
    `select 'stamp-' || id as stream from stamping.stamps where object_cid = any($1)`,
    [bytesOf(cids)],
  );
  const types = new Map<string, string[]>(rows.map(({ stream }) => [stream, []]));
  const events = await recordedEvents(running.pool, 'stamping');
  for (const { stream, type } of events.toSorted((one, other) => one.version - other.version))
    types.get(stream)?.push(type);
  const histories: Record<string, number> = {};
  for (const history of types.values()) histories[history.join(' ')] = (histories[history.join(' ')] ?? 0) + 1;
  return histories;
}

const finalizedOnce = async (cids: readonly string[]): Promise<unknown> =>
  (
    await running.pool.query(
      `select count(*)::int as told, count(distinct id)::int as stamps from (
         select json_array_elements_text(data -> 'stampIds')::uuid as id from stamping.events
         where type = 'StampsFinalized') as f
       where id in (select id from stamping.stamps where object_cid = any($1))`,
      [bytesOf(cids)],
    )
  ).rows[0];

/** How many of them their owner sees as final. */
async function finalForClients(cids: readonly string[]): Promise<number> {
  const { rows } = await running.pool.query<{ id: string }>(
    'select id from stamping.stamps where object_cid = any($1)',
    [bytesOf(cids)],
  );
  let final = 0;
  for (let start = 0; start < rows.length; start += 1_000) {
    const ids = rows.slice(start, start + 1_000).map(({ id }) => id);
    final += (await statusesOf(running, ids)).filter(({ status }) => status === 'finalized').length;
  }
  return final;
}

const soon = <Result>(check: () => Promise<Result>): Promise<Result> =>
  eventually(check, { timeoutMs: 2 * recoveryMs, intervalMs: 250 });
const once = (cids: readonly string[]) => Object.fromEntries(cids.map((cid) => [cid, 1]));

describe('SIGKILL between two transactions', () => {
  it('of finality leaves no stamp out, and tells of none twice (I5, I6, I11)', async () => {
    const death = between('stamping.finality-left');
    const cids = await stampMany();
    await running.arm(death.service, death.point);
    const since = running.log.length;
    await running.anvil.mine(200);
    await expectDied(running, since, death);
    await soon(async () => {
      expect(await finalizedOnce(cids)).toEqual({ told: cids.length, stamps: cids.length });
      expect(await finalForClients(cids)).toBe(cids.length);
      await expectAllHeard(running);
    });
    expect(await historiesOf(cids)).toEqual({ 'StampRequested StampConfirmed': cids.length });
    expect(await commitmentsOf(running, cids)).toEqual(once(cids));
    await running.events.untilWhole(recoveryMs);
  });

  it('of a deep revert leaves each stamp to be confirmed again, once (I2, I4, I5, I11)', async () => {
    const death = between('stamping.revert-left');
    const before = Number(await running.anvil.request('eth_blockNumber'));
    const cids = await stampMany();
    await running.arm(death.service, death.point);
    const since = running.log.length;
    // A block may come meanwhile.
    await running.anvil.reorg(Number(await running.anvil.request('eth_blockNumber')) - before + 3);
    await expectDied(running, since, death);
    await soon(async () => {
      expect(await historiesOf(cids)).toEqual({
        'StampRequested StampConfirmed StampReverted StampConfirmed': cids.length,
      });
      await expectAllHeard(running);
    });
    expect(await commitmentsOf(running, cids)).toEqual(once(cids));
    await expectHonestLanes(running);
    await running.events.untilWhole(recoveryMs);
  });

  it('of publishing blocks again goes on with the run, and changes nothing (I5, I11)', async () => {
    const death = between('chain-indexer.blocks-republished');
    const early = newCid();
    await ask(() => running.client.stamp({ data_cid: early, collection_name: 'Early' }));
    // Several windows of blocks.
    await running.anvil.mine(120);
    await running.arm(death.service, death.point);
    const since = running.log.length;
    const response = await fetch(`${running.stack.services['chain-indexer'].internalUrl}/internal/blocks/republish`, {
      method: 'POST',
      body: JSON.stringify({ from: 1 }),
    });
    expect(response.status).toBe(202);
    await expectDied(running, since, death);
    await soon(async () => {
      const { rows } = await running.pool.query(
        `select r.run, r.active, r.next_number > r.from_number + 120 as far,
           exists (select from chain.events) as unpublished from chain.republish r`,
      );
      expect(rows).toEqual([{ run: 1, active: false, far: true, unpublished: false }]);
    });
    const late = newCid();
    const { body } = await ask(() => running.client.stamp({ data_cid: late, collection_name: 'Late' }));
    await expectOneCommitment(running, body.commitment_receipt);
    expect(await commitmentsOf(running, [early, late])).toEqual(once([early, late]));
    await soon(async () => {
      for (const cid of [early, late]) await expectOnceEverywhere(running, await stampIdOf(running, cid), cid);
      await expectAllHeard(running);
    });
  });
});

describe('SIGKILL of a relay', () => {
  const relayDies = async (
    place: 'relay.held of stamping' | 'relay.held-published of stamping',
    act: () => unknown,
  ) => {
    const death = between(place);
    await running.arm(death.service, death.point);
    const since = running.log.length;
    await act();
    await expectDied(running, since, death);
  };
  const held = async () => (await running.pool.query('select distinct stream from stamping.relay_held')).rows;

  it('that holds a stream, and while it releases it, publishes all of it, with effect once (I5, I6)', async () => {
    const cid = newCid();
    // As if a newer replica had recorded them: this one knows no such version.
    await running.pool.query(`
      create function stamping.spoil() returns trigger language plpgsql as
        $$ begin new.type_version := new.type_version + 90; return new; end $$;
      create trigger spoil before insert on stamping.events for each row
        when (new.type = 'StampRequested' and new.type_version < 90) execute function stamping.spoil()`);
    let answer: Promise<unknown> | undefined;
    await relayDies('relay.held of stamping', () => {
      answer = ask(() => running.client.stamp({ data_cid: cid, collection_name: 'Held' }));
    });
    const stampId = await soon(() => stampIdOf(running, cid));
    await soon(async () => expect(await held()).toEqual([{ stream: `stamp-${stampId}` }]));
    await running.pool.query('drop function stamping.spoil() cascade');
    const other = newCid();
    await ask(() => running.client.stamp({ data_cid: other, collection_name: 'Not held' }));

    await relayDies('relay.held-published of stamping', async () => {
      await running.pool.query('update stamping.events set type_version = type_version - 90 where type_version > 90');
      // A new leader tries at once what is held.
      await running.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'leader of stamping.relay'`,
      );
    });
    await answer;
    await soon(async () => {
      expect(await held()).toEqual([]);
      for (const one of [cid, other]) await expectOnceEverywhere(running, await stampIdOf(running, one), one);
      await expectAllHeard(running);
    });
    expect(await commitmentsOf(running, [cid, other])).toEqual(once([cid, other]));
    await running.events.untilWhole(recoveryMs);
  });
});
