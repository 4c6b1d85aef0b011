import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { commitmentsOf, expectOneCommitment } from '../crashes/support/chain.ts';
import { createRequests, fieldsOf, type Stamped } from './support/requests.ts';
import { patienceMs, type RestorableStack, startRestorableStack } from './support/restorable-stack.ts';

jest.setTimeout(600_000);

let running: RestorableStack;
const { confirmations, receiptOf, stamp } = createRequests(() => running);
beforeAll(async () => {
  running = await startRestorableStack();
});
afterAll(() => running?.stop());

const blockOf = async ({ receipt }: Stamped): Promise<number> => {
  const { blockNumber } = await running.anvil.request<{ blockNumber: string }>('eth_getTransactionReceipt', [
    receipt.transaction_hash,
  ]);
  return Number(blockNumber);
};

describe('a reorganization between the loss of an hour and the restore', () => {
  let before: Stamped;
  let moved: Stamped;
  const gone: Stamped[] = [];

  it('is seen by `indelible restore`, which takes back what the lost blocks had confirmed (I4)', async () => {
    before = await stamp(fieldsOf('Kept'));
    const since = await running.backUp();
    moved = await stamp(fieldsOf('Kept'));
    for (let n = 0; n < 3; n++) gone.push(await stamp(fieldsOf(n === 0 ? 'Kept' : 'Lost')));
    // Published, and so known to the restore as confirmed in blocks that are no longer there.
    await eventually(async () => expect(await confirmations()).toHaveLength(5), { timeoutMs: patienceMs });

    await running.stopServices();
    await running.restore();
    await running.holdBlocks();
    const raw = await running.anvil.request<string>('eth_getRawTransactionByHash', [moved.receipt.transaction_hash]);
    const [ancestor, former] = [await blockOf(before), await blockOf(moved)];
    const head = Number(await running.anvil.request('eth_blockNumber'));
    // One transaction is in the second block after the one it was in; the others are in none, and in no pool.
    await running.anvil.request('anvil_reorg', [head - ancestor, [[raw, former - ancestor + 1]]]);
    expect(await blockOf(moved)).toBe(former + 2);

    const restored = await running.command(['restore', '--since', since.toISOString(), '--json']);
    expect([restored.code, restored.err]).toEqual([0, expect.stringContaining('transactions of')]);
    expect(JSON.parse(restored.out)).toMatchObject({ stampsMade: 0, revertedAbove: former - 1 });
    await running.makeBlocks();
    await running.start();
  });

  it('leaves every stamp once on the chain, with the receipt of its block there (I1, I2, I4)', async () => {
    for (const { location } of [before, moved, ...gone])
      await eventually(
        async () => {
          // What lost its transaction is signed again once its nonce is final.
          await running.anvil.mine(10);
          await expectOneCommitment(running, await receiptOf(location));
        },
        { timeoutMs: 2 * patienceMs, intervalMs: 1_000 },
      );
    expect(await receiptOf(before.location)).toEqual(before.receipt);
    expect(await receiptOf(moved.location)).toMatchObject({ transaction_hash: moved.receipt.transaction_hash });
    const objects = [before, moved, ...gone].map(({ fields }) => fields.data_cid as string);
    expect(await commitmentsOf(running, objects)).toEqual(Object.fromEntries(objects.map((one) => [one, 1])));
  });

  it('leaves tables that say what the chain says, and requests that are repeated find it', async () => {
    await running.untilHealthy();
    for (const { fields, location } of [before, moved, ...gone]) {
      const repeated = await running.client().stamp(fields);
      expect([repeated.status, repeated.body.commitment_receipt]).toEqual([200, await receiptOf(location)]);
    }
    await stamp(fieldsOf('Lost'));
  });
});
