import { encodeRevoke } from '@indelible/commitment-contract';
import { eventually } from '@indelible/testing';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Api } from '../../contract/support/api.ts';
import {
  hex,
  type PooledTransaction,
  pooledTransactionOf,
  sendAs,
  whileChainStands,
} from '../support/chain-control.ts';
import { bounds, type HostileSystem } from '../support/hostile-system.ts';
import { addressOf, expectOrdinaryStamp, freshCid, openTenant, recoveryMs } from '../support/tenants.ts';

const patience = { timeoutMs: recoveryMs };
const tooOld = { kind: 'error', code: -32_000, message: 'missing trie node' } as const;

/** What blocks, reorgs and nodes may do to stamps under way. */
export const chainCases = (system: () => HostileSystem): void =>
  describe('on the chain and its nodes', () => {
    afterEach(() => {
      for (const node of Object.values(system().nodes)) node.heal();
    });

    const status = async (api: Api, id: unknown) => (await api.get(`/stamps/${id}`)).body.status;
    const untilStatus = (api: Api, id: unknown, wanted: RegExp) =>
      eventually(async () => expect(await status(api, id)).toMatch(wanted), patience);
    const batchOf = async ({ batchId }: PooledTransaction) => {
      const { rows } = await system().stack.pool.query<{ status: string; used: boolean }>(
        'select status, nonce_used_block is not null as used from stamping.batches where id = $1',
        [batchId],
      );
      return rows[0];
    };
    /** Accepts a stamp while the chain stands: its transaction is in the pool. */
    async function stampIntoPool(api: Api) {
      const data_cid = freshCid();
      const accepted = await api.stamp({ data_cid }, ['Prefer: respond-async']);
      expect(accepted.status).toBe(202);
      const { id } = accepted.body;
      return { id, data_cid, transaction: await pooledTransactionOf(system().stack, id) };
    }

    describe('a batch whose owner takes the grant back in the same block', () => {
      let mallory: Api;
      let owner: string;
      beforeAll(async () => {
        mallory = await openTenant(system().stack, 'Mallory');
        await expectOrdinaryStamp(mallory);
        owner = await addressOf(mallory);
      });

      /** Mallory's stamp reverts in a block. No other block exists when this resolves. */
      async function revertStamp() {
        const { anvil, connection } = system().stack;
        const stamp = await stampIntoPool(mallory);
        const data = encodeRevoke({ delegate: connection.operatorAddress });
        await anvil.request('anvil_setBalance', [owner, hex(10n ** 20n)]);
        await sendAs(anvil, owner, { to: connection.contractAddress, data });
        await anvil.mine(1);
        const receipt = await anvil.request('eth_getTransactionReceipt', [stamp.transaction.hash]);
        expect(receipt).toMatchObject({ status: '0x0' });
        return stamp;
      }

      it('is not settled before that is final: after a reorg its stamp is made, once, and lanes go on (I2, I3, I11)', async () => {
        const { anvil } = system().stack;
        const { id, data_cid } = await whileChainStands(anvil, async () => {
          const stamp = await revertStamp();
          await anvil.mine(2);
          await eventually(
            async () => expect(await batchOf(stamp.transaction)).toEqual({ status: 'signed', used: true }),
            patience,
          );
          await anvil.reorg(3);
          return stamp;
        });
        await untilStatus(mallory, id, /^(confirmed|finalized)$/);
        const { body } = await mallory.postJson('/stamps/verify', { cids: [data_cid] });
        expect(body.stamp_list).toHaveLength(1);
        await system().expectServiceGoesOn();
      });

      it('is settled once final, whatever a node says that lags and takes every broadcast (I6, I11)', async () => {
        const { stack, nodes } = system();
        nodes.first.lag(1_000_000);
        nodes.first.behave('eth_sendRawTransaction', { kind: 'error', code: -32_000, message: 'already known' });
        const { id } = await whileChainStands(stack.anvil, revertStamp);
        await system().expectServiceGoesOn();
        await stack.anvil.mine(2 * bounds.finality);
        await untilStatus(mallory, id, /^failed$/);
        await system().expectServiceGoesOn();
      });
    });

    describe('a lane', () => {
      it('whose nonce another transaction used, at nodes that answer nothing about it, goes on with the next (I6, I11)', async () => {
        const { stack, nodes, ada } = system();
        for (const node of [nodes.first, nodes.second]) node.behave('eth_getTransactionReceipt', tooOld);
        const { id } = await whileChainStands(stack.anvil, async () => {
          const stamp = await stampIntoPool(ada);
          const { from, nonce } = stamp.transaction;
          const foreign = await sendAs(stack.anvil, from, { to: from, nonce });
          await stack.anvil.mine(1);
          expect(await stack.anvil.request('eth_getTransactionReceipt', [foreign])).toMatchObject({ status: '0x1' });
          return stamp;
        });
        const { length } = nodes.first.calls;
        await eventually(() => expect(asked(nodes.first.calls.slice(length))).toBeGreaterThan(1), patience);
        await system().expectServiceGoesOn();
        expect(await status(ada, id)).toBe('submitted');
        for (const node of [nodes.first, nodes.second]) node.heal();
        await stack.anvil.mine(2 * bounds.finality);
        await untilStatus(ada, id, /^(confirmed|finalized)$/);
        await system().expectServiceGoesOn();
      });
      const asked = (calls: readonly { method: string }[]) =>
        calls.filter(({ method }) => method === 'eth_getTransactionReceipt').length;
    });

    describe('a block', () => {
      it('whose receipts are longer than any answer that is taken holds up nobody (I11)', async () => {
        const { nodes } = system();
        const padding = 'x'.repeat(bounds.answerBytes);
        nodes.indexer.behave('eth_getBlockReceipts', {
          kind: 'change',
          change: (receipts) => (receipts as object[]).map((receipt) => ({ ...receipt, padding })),
        });
        await system().expectServiceGoesOn();
        expect(nodes.indexer.asked('eth_getTransactionReceipt')).toBeGreaterThan(0);
        await system().expectServiceGoesOn();
      });
    });
  });
