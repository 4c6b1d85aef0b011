import { getBalance, getTransactionCount } from '@indelible/ethereum';
import { bytesOfHex, type Hex } from '@indelible/identifiers';
import { eventually } from '@indelible/testing';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { drainLane } from '../src/operating/drain-lane.ts';
import { LaneRefusedError } from '../src/operating/lane-place.ts';
import { resumeLane } from '../src/operating/resume-lane.ts';
import { stampRequest } from './support/messages.ts';
import { type RunningLane, runLane } from './support/running-lane.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

jest.setTimeout(120_000);

let fixture: Fixture;
let account: Hex;
let lane: RunningLane | undefined;
beforeEach(async () => {
  fixture = await createFixture();
  account = await fixture.openAccount(0);
  await fixture.settle();
});
afterEach(async () => {
  await lane?.stop();
  lane = undefined;
  await fixture.dispose();
});

const key = () => ({ index: 0, ...fixture.lanes[0]! });
const drain = () => drainLane(fixture, key(), { to: fixture.operator, timeoutMs: 60_000, last: true, note: () => {} });
const statusOf = async (id: string): Promise<unknown> =>
  (await fixture.rows('select status from stamps where id = $1', [id]))[0]?.status;

describe('a lane that is drained while stamping runs it', () => {
  it('finishes what it has signed, takes nothing new, and sends what it has left once all is final (I3)', async () => {
    lane = await runLane(fixture);
    const before = stampRequest(account);
    await fixture.request(before);
    lane.wake('waiting');
    await eventually(async () => expect(await statusOf(before.requestId)).toBe('confirmed'), { timeoutMs: 30_000 });
    const signed = lane.signed.length;

    const draining = drain();
    await eventually(async () => expect(await fixture.rows('select from lanes where draining')).toHaveLength(1));
    const behind = stampRequest(account);
    await fixture.request(behind);
    lane.wake('waiting');
    const drained = await draining;

    expect(BigInt(drained.sent)).toBeGreaterThan(10n ** 23n);
    expect(lane.signed).toHaveLength(signed);
    expect(await statusOf(behind.requestId)).toBe('requested');
    const [row] = await fixture.rows('select next_nonce from lanes where draining');
    expect(row?.next_nonce).toBe(await getTransactionCount(fixture.rpc, key().address));
    expect(await getBalance(fixture.rpc, key().address)).toBeLessThan(10n ** 16n);
    // No batch has its last nonce: it stays closed.
    await expect(resumeLane(fixture, key())).rejects.toThrow(LaneRefusedError);
  });

  it('takes what waited once it is resumed before it was emptied (I1)', async () => {
    lane = await runLane(fixture);
    await fixture.database.query('update lanes set draining = true');
    const waiting = stampRequest(account);
    await fixture.request(waiting);
    lane.wake('waiting');
    await eventually(async () =>
      expect(await fixture.rows(`select from lanes where lease_holder = 'running'`)).toHaveLength(0),
    );
    expect(await statusOf(waiting.requestId)).toBe('requested');
    await resumeLane(fixture, key());
    await eventually(async () => expect(await statusOf(waiting.requestId)).toBe('confirmed'), { timeoutMs: 30_000 });
  });

  it('stays closed when its draining stopped before the last transaction was sent, also without a batch: its next nonce could not be used (I6)', async () => {
    const unused = { index: 1, ...fixture.lanes[1]! };
    const drained = (next: number) =>
      fixture.database.query(
        `insert into lanes (lane, chain_id, next_nonce, draining) values ($1, $2, $3, true)
         on conflict (lane) do update set next_nonce = excluded.next_nonce`,
        [bytesOfHex(unused.address), fixture.chainId, next],
      );
    const used = await getTransactionCount(fixture.rpc, unused.address);
    await drained(used + 1);
    await expect(resumeLane(fixture, unused)).rejects.toThrow(LaneRefusedError);
    await drained(used);
    await resumeLane(fixture, unused);
    expect(await fixture.rows('select from lanes where draining')).toEqual([]);
  });

  it('stays closed while a reorg may remove the transaction that emptied it (I6)', async () => {
    const unused = { index: 1, ...fixture.lanes[1]! };
    const used = await getTransactionCount(fixture.rpc, unused.address);
    // As a transaction of the next block does.
    await fixture.rpc.call('anvil_setNonce', [unused.address, `0x${(used + 1).toString(16)}`]);
    await fixture.rpc.call('anvil_mine', ['0x1']);
    await fixture.database.query(
      `insert into lanes (lane, chain_id, next_nonce, draining) values ($1, $2, $3, true)
       on conflict (lane) do update set next_nonce = excluded.next_nonce, draining = true`,
      [bytesOfHex(unused.address), fixture.chainId, used + 1],
    );
    await expect(resumeLane(fixture, unused)).rejects.toThrow(LaneRefusedError);
    await fixture.rpc.call('anvil_mine', ['0x100']);
    await resumeLane(fixture, unused);
    expect(await fixture.rows('select from lanes where draining')).toEqual([]);
  });
});
