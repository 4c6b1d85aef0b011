import { decodeLaneOperator, encodeLaneOperator } from '@indelible/commitment-contract';
import { createOperatorKeys } from '@indelible/custody';
import { createRpc, ethCall, getCode, getTransactionCount, type Rpc } from '@indelible/ethereum';
import { testAnvil } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeploymentError, ensureContract, setLocalBalance } from '../src/index.ts';

let anvil: Awaited<ReturnType<typeof testAnvil>>;
let rpc: Rpc;
const keys = createOperatorKeys({ seed: new Uint8Array(32).fill(1) });
const others = createOperatorKeys({ seed: new Uint8Array(32).fill(2) });
beforeAll(async () => {
  anvil = await testAnvil();
  rpc = createRpc({ urls: [anvil.rpcUrl], timeoutMs: 10_000 });
  for (const { operator } of [keys, others]) await setLocalBalance(rpc, operator.address, 10n ** 24n);
});
afterAll(async () => {
  rpc.close();
  await anvil.stop();
});

describe('making the contract ready', () => {
  it('deploys it once and adds each lane once, however often it is asked for', async () => {
    const first = await ensureContract({ rpc, operator: keys.operator, lanes: [keys.lane(0)] });
    expect(first).toMatchObject({ deployed: true, lanesAdded: 1 });
    const lanes = [keys.lane(0), keys.lane(1)];
    const second = await ensureContract({ rpc, operator: keys.operator, lanes, knownAddress: first.address });
    expect(second).toEqual({ address: first.address, deployed: false, lanesAdded: 1 });
    for (const lane of lanes) {
      const answer = await ethCall(rpc, { to: first.address, data: encodeLaneOperator({ lane: lane.address }) });
      expect(decodeLaneOperator(answer)).toBe(keys.operator.address);
    }
  });

  it('deploys it anew when the known address has no code: the chain was begun anew', async () => {
    const knownAddress = `0x${'12'.repeat(20)}` as const;
    const { address, deployed } = await ensureContract({ rpc, operator: keys.operator, lanes: [], knownAddress });
    expect(deployed).toBe(true);
    expect(address).not.toBe(knownAddress);
  });

  it("never takes another operator's lane", async () => {
    const { address } = await ensureContract({ rpc, operator: keys.operator, lanes: [keys.lane(5)] });
    const taking = ensureContract({ rpc, operator: others.operator, lanes: [keys.lane(5)], knownAddress: address });
    await expect(taking).rejects.toThrow(DeploymentError);
  });

  it('does not deploy it again when an earlier deployment was included late', async () => {
    const slow = await testAnvil({ automine: false });
    const slowRpc = createRpc({ urls: [slow.rpcUrl], timeoutMs: 10_000 });
    try {
      const { operator } = keys;
      await setLocalBalance(slowRpc, operator.address, 10n ** 24n);
      const ensure = (timeoutMs: number) => ensureContract({ rpc: slowRpc, operator, lanes: [], timeoutMs });
      await expect(ensure(300)).rejects.toThrow('in no block');
      // While it is pending, nothing else is sent.
      await expect(ensure(300)).rejects.toThrow('in no block');
      expect(await getTransactionCount(slowRpc, operator.address, 'pending')).toBe(1);
      await slow.mine();
      const { address } = await ensure(10_000);
      expect(await getTransactionCount(slowRpc, operator.address, 'pending')).toBe(1);
      expect(await getCode(slowRpc, address, 'latest')).not.toBe('0x');
    } finally {
      slowRpc.close();
      await slow.stop();
    }
  });
});
