import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { commitmentsOf } from '../crashes/support/chain.ts';
import type { StampAnswer } from '../e2e/support/client.ts';
import { createRequests, fieldsOf, type Stamped } from './support/requests.ts';
import { patienceMs, type RestorableStack, startRestorableStack } from './support/restorable-stack.ts';

jest.setTimeout(600_000);

let running: RestorableStack;
const { confirmations, receiptOf, stamp } = createRequests(() => running);
beforeAll(async () => {
  running = await startRestorableStack();
});
afterAll(() => running?.stop());

describe('a database that is lost whole', () => {
  const stamps: Stamped[] = [];
  let file: StampAnswer;
  let reported: readonly string[];
  let formerKey: string;
  let formerId: string;

  it('is made again from topics and chain by `indelible migrate` and `indelible restore`', async () => {
    for (let n = 0; n < 3; n++) stamps.push(await stamp(fieldsOf(`Collection ${n % 2}`)));
    file = await running
      .client()
      .stamp({ file: new Blob(['of a lost database']), collection_name: 'Files' }, 'kept.txt');
    expect(file.status).toBe(201);
    reported = await eventually(
      async () => {
        const ids = await confirmations();
        expect(ids).toHaveLength(stamps.length + 1);
        return ids;
      },
      { timeoutMs: patienceMs },
    );
    formerKey = running.connection.apiKey;
    formerId = (await me(formerKey)).body.persistent_id;

    await running.stopServices();
    await running.lose();
    const migrated = await running.command(['migrate']);
    expect([migrated.code, migrated.err]).toEqual([0, expect.any(String)]);
    const restored = await running.command(['restore', '--since', 'beginning', '--json']);
    expect([restored.code, restored.err]).toEqual([0, expect.stringContaining('transactions of')]);
    expect(JSON.parse(restored.out)).toMatchObject({ stampsMade: 0, revertedAbove: null });
    await running.start();
  });

  it('has every stamp again, once on the chain, with the receipt it had (I1, I2, I8)', async () => {
    for (const { fields, location, receipt } of stamps) {
      expect(await receiptOf(location)).toEqual(receipt);
      const repeated = await running.client().stamp(fields);
      expect([repeated.status, repeated.body.commitment_receipt]).toEqual([200, receipt]);
    }
    const objects = stamps.map(({ fields }) => fields.data_cid as string);
    expect(await commitmentsOf(running, objects)).toEqual(Object.fromEntries(objects.map((one) => [one, 1])));
    const { body } = await running.client().verify(objects);
    expect(body.stamp_list).toHaveLength(objects.length);
  });

  it('has the files and the public events again under their ids, and stamps on (I7)', async () => {
    await eventually(
      async () => {
        const { body } = await running.client().status(file.location ?? '');
        expect(body).toMatchObject({ file_object: file.body.file_object });
      },
      { timeoutMs: patienceMs },
    );
    const another = await stamp(fieldsOf('Collection 0'));
    expect(another.receipt.set_cid).toBe(stamps[0]?.receipt.set_cid);
    await running.untilHealthy();
    const ids = await confirmations();
    expect(ids).toEqual(expect.arrayContaining([...reported]));
    expect(ids).toHaveLength(reported.length + 1);
  });

  it('has the account under its address and id, but neither its name nor its keys', async () => {
    expect((await me(formerKey)).status).toBe(401);
    const { status, body } = await me();
    expect([status, body.persistent_id, body.last_address]).toEqual([200, formerId, running.connection.userAddress]);
    expect(body.email).toBe('unknown@invalid');
  });
});

const me = (apiKey?: string) =>
  running.client(apiKey).get<{ persistent_id: string; last_address: string; email: string }>('/users/me');
