import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { lookAtBacklog } from '../src/batching/backlog.ts';
import { stampRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture({ confirmation: 2 });
});
afterAll(() => fixture.dispose());

const hour = 3_600;
const look = () => lookAtBacklog(fixture.database, 1_000);

describe('the backlog', () => {
  it('has each stamp in the one state in which it is, and the age of the oldest in each of them', async () => {
    const account = await fixture.openAccount(0);
    await fixture.settle();
    await fixture.settle();
    expect(await look()).toMatchObject({ waiting: 0, submitted: 0, inBlock: 0, oldestSeconds: 0 });

    const old = new Date(Date.now() - hour * 1_000).toISOString();
    await fixture.request(stampRequest(account, { requestedAt: old }), stampRequest(account), stampRequest(account));
    const waiting = await look();
    expect(waiting).toMatchObject({ waiting: 3, submitted: 0, inBlock: 0 });
    expect(waiting.oldestSeconds).toBeGreaterThanOrEqual(hour);

    const batch = await fixture.sign();
    expect(batch?.waitedSeconds).toHaveLength(3);
    const submitted = await look();
    expect(submitted).toMatchObject({ waiting: 0, submitted: 3, inBlock: 0 });
    expect(submitted.oldestSeconds).toBeGreaterThanOrEqual(hour);
    expect(submitted.lanes).toMatchObject([{ lane: fixture.lanes[0]!.address, pending: 1 }]);

    await fixture.broadcast(batch);
    await fixture.anvil.mine(1);
    const outcome = await fixture.readChain();
    expect(outcome.included).toMatchObject([{ stamps: 3 }]);
    const inBlock = await look();
    expect(inBlock).toMatchObject({ waiting: 0, submitted: 0, inBlock: 3, lanes: [{ pending: 0, oldestSeconds: 0 }] });
    expect(inBlock.oldestSeconds).toBeGreaterThanOrEqual(hour);

    const { confirmations } = await fixture.settle();
    expect(confirmations).toHaveLength(3);
    expect(Math.min(...confirmations.map(({ requestedAt }) => requestedAt))).toBeCloseTo(Date.parse(old) / 1_000, 1);
    expect(await look()).toMatchObject({ waiting: 0, submitted: 0, inBlock: 0, oldestSeconds: 0 });
  });

  it('counts no more of what waits than the bound', async () => {
    const account = await fixture.openAccount(1);
    await fixture.request(stampRequest(account), stampRequest(account), stampRequest(account));
    expect((await lookAtBacklog(fixture.database, 2)).waiting).toBe(2);
  });
});
