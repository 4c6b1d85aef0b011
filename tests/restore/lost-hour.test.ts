import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { commitmentsOf } from '../crashes/support/chain.ts';
import { placesOfRestore } from '../crashes/support/rounds.ts';
import type { StampAnswer } from '../e2e/support/client.ts';
import { createRequests, fieldsOf, type Stamped } from './support/requests.ts';
import { patienceMs, type RestorableStack, startRestorableStack } from './support/restorable-stack.ts';

jest.setTimeout(600_000);

let running: RestorableStack;
const { accept, confirmations, receiptOf, stamp } = createRequests(() => running);
beforeAll(async () => {
  running = await startRestorableStack();
});
afterAll(() => running?.stop());

describe('a database that lost an hour while the chain went on', () => {
  let since: Date;
  let before: Stamped;
  const lost: Stamped[] = [];
  let underWay: { fields: Record<string, string>; location: string };
  let file: StampAnswer;
  let lostAccount: string;
  let reported: readonly string[];
  let repeatedTooSoon: { fields: Record<string, string>; location: string };

  it('is restored under services that run: stamping decides and signs nothing, and says what to do (I2, I3)', async () => {
    before = await stamp(fieldsOf('Kept'));
    await running.holdBlocks();
    const fields = fieldsOf('Kept');
    underWay = { fields, location: await accept(fields) };
    await eventually(async () => {
      const { body } = await running.client().status(underWay.location);
      expect(body.status).toBe('submitted');
    });
    since = await running.backUp();
    // The backup has its first transaction; the one in the block is a replacement that the backup does not have.
    const first = await transactionsOf();
    await eventually(async () => expect(await transactionsOf()).toBeGreaterThan(first), { timeoutMs: patienceMs });
    await running.makeBlocks();
    await receiptOf(underWay.location);

    for (let n = 0; n < 3; n++) lost.push(await stamp(fieldsOf('Lost')));
    lost.push(await stamp(fieldsOf('Kept')));
    file = await running.client().stamp({ file: new Blob(['of the lost hour']), collection_name: 'Lost' }, 'lost.txt');
    expect(file.status).toBe(201);
    const created = await running.command([
      'accounts',
      'create',
      '--name',
      'Lost',
      '--email',
      'lost@example.com',
      '--json',
    ]);
    expect(created.code).toBe(0);
    lostAccount = JSON.parse(created.out).address;
    reported = await eventually(
      async () => {
        const ids = await confirmations();
        expect(ids).toHaveLength(7);
        return ids;
      },
      { timeoutMs: patienceMs },
    );

    const lines = running.log.length;
    await running.restore();
    await eventually(
      () => expect(running.log.slice(lines).join('\n')).toContain('run `indelible restore` (docs/backup.md)'),
      { timeoutMs: patienceMs },
    );
    const again = lost[0] as Stamped;
    repeatedTooSoon = { fields: again.fields, location: await accept(again.fields) };
    const nonces = await sentByLanes();
    await running.anvil.mine(5);
    expect(await sentByLanes()).toEqual(nonces);
  });

  it('is brought up to date before any service starts, also when the command is killed at any of its steps (I5, I11)', async () => {
    const refused = await running.command(['restore', '--since', since.toISOString()]);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('stamping.requests')]);
    await running.stopServices();
    // Killed at each of its steps, and then before the consumer groups are set back, it is run again as if nothing had been.
    for (const point of placesOfRestore) {
      const killed = await running.restoreStamping(since, point);
      expect([point, killed.signal, killed.err]).toEqual([
        point,
        'SIGKILL',
        expect.stringContaining(`failpoint ${point}: SIGKILL`),
      ]);
    }
    const stamping = await running.restoreStamping(since);
    expect([stamping.code, stamping.err]).toEqual([0, expect.stringContaining('transactions of')]);
    for (let again = 0; again < 2; again++) {
      const restored = await running.command(['restore', '--since', since.toISOString(), '--json']);
      expect([restored.code, restored.err]).toEqual([0, expect.stringContaining('transactions of')]);
    }
    await running.start();
  });

  it('has every stamp of the lost hour, once on the chain, with the receipt it had (I1, I2)', async () => {
    for (const { fields, location, receipt } of [before, ...lost]) {
      expect(await receiptOf(location)).toEqual(receipt);
      const repeated = await running.client().stamp(fields);
      expect([repeated.status, repeated.body.commitment_receipt]).toEqual([200, receipt]);
    }
    expect(await receiptOf(repeatedTooSoon.location)).toEqual(lost[0]?.receipt);
    const receipt = await receiptOf(underWay.location);
    expect((await running.client().stamp(underWay.fields)).body.commitment_receipt).toEqual(receipt);
    const objects = [before, underWay, ...lost].map(({ fields }) => fields.data_cid as string);
    expect(await commitmentsOf(running, objects)).toEqual(Object.fromEntries(objects.map((one) => [one, 1])));
  });

  it('stamps on, has what was stored, and reports nothing twice', async () => {
    await stamp(fieldsOf('Lost'));
    const status = await running.client().status(file.location ?? '');
    expect(status.body).toMatchObject({ file_object: file.body.file_object });
    await running.untilHealthy();
    const ids = await confirmations();
    expect(ids).toEqual(expect.arrayContaining([...reported]));
    expect(ids).toHaveLength(reported.length + 1);
  });

  it('knows accounts opened in the lost hour, and gives their address to nobody else', async () => {
    const key = await running.command(['keys', 'create', '--account', lostAccount, '--name', 'again', '--json']);
    expect([key.code, key.err]).toEqual([0, '']);
    const me = await running.client(JSON.parse(key.out).apiKey).get('/users/me');
    expect(me).toMatchObject({ status: 200, body: { last_address: lostAccount } });
    const next = await running.command([
      'accounts',
      'create',
      '--name',
      'Next',
      '--email',
      'next@example.com',
      '--json',
    ]);
    expect(JSON.parse(next.out).address).not.toBe(lostAccount);
  });
});

async function transactionsOf(): Promise<number> {
  const { rows } = await running.pool.query<{ count: string }>('select count(*) as count from stamping.transactions');
  return Number(rows[0]?.count);
}

/** How many transactions each lane has on the chain. */
async function sentByLanes(): Promise<readonly string[]> {
  const { rows } = await running.pool.query<{ lane: string }>(
    `select '0x' || encode(lane, 'hex') as lane from stamping.lanes order by lane`,
  );
  return Promise.all(
    rows.map(({ lane }) => running.anvil.request<string>('eth_getTransactionCount', [lane, 'pending'])),
  );
}
