import { decodeLaneOperator, encodeLaneOperator } from '@indelible/commitment-contract';
import { createRpc, ethCall, getCode, getTransactionCount, type Rpc } from '@indelible/ethereum';
import { createOperatorKeys } from '@indelible/ethereum/custody';
import { testAnvil } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  DeploymentError,
  deterministicAddress,
  ensureContract,
  examineContract,
  setLocalBalance,
} from '../src/provisioning.ts';

/** Where the usual factory is. */
const factory = '0x4e59b44847b379578588920ca78fbf26c0b4956c';

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
  it('deploys it once and adds each lane once, however often it is called', async () => {
    const first = await ensureContract({ rpc, operator: keys.operator, lanes: [keys.lane(0)] });
    expect(first).toMatchObject({ deployed: true, lanesAdded: 1 });
    const lanes = [keys.lane(0), keys.lane(1)];
    const second = await ensureContract({ rpc, operator: keys.operator, lanes, knownAddress: first.address });
    expect(second).toEqual({ address: first.address, deployed: false, lanesAdded: 1 });
    expect(first.address).toBe(deterministicAddress(keys.operator.address));
    // Found without a record of it.
    const third = await ensureContract({ rpc, operator: keys.operator, lanes });
    expect(third).toEqual({ address: first.address, deployed: false, lanesAdded: 0 });
    for (const lane of lanes) {
      const answer = await ethCall(rpc, { to: first.address, data: encodeLaneOperator({ lane: lane.address }) });
      expect(decodeLaneOperator(answer)).toBe(keys.operator.address);
    }
  });

  it('deploys it again when the known address has no code: the chain is another', async () => {
    const knownAddress = `0x${'12'.repeat(20)}` as const;
    const { operator } = createOperatorKeys({ seed: new Uint8Array(32).fill(3) });
    await setLocalBalance(rpc, operator.address, 10n ** 24n);
    const { address, deployed } = await ensureContract({ rpc, operator, lanes: [], knownAddress });
    expect(deployed).toBe(true);
    expect(address).toBe(deterministicAddress(operator.address));
  });

  it('makes one contract and adds each lane once when several processes do it at the same time', async () => {
    const many = createOperatorKeys({ seed: new Uint8Array(32).fill(4) });
    await setLocalBalance(rpc, many.operator.address, 10n ** 24n);
    const lanes = [many.lane(0), many.lane(1)];
    const all = await Promise.all(
      Array.from({ length: 4 }, () => ensureContract({ rpc, operator: many.operator, lanes })),
    );
    expect(new Set(all.map(({ address }) => address)).size).toBe(1);
    expect(all.filter(({ deployed }) => deployed)).toHaveLength(1);
    expect(all.reduce((sum, { lanesAdded }) => sum + lanesAdded, 0)).toBeGreaterThanOrEqual(lanes.length);
    for (const lane of lanes) {
      const to = all[0]!.address;
      const answer = await ethCall(rpc, { to, data: encodeLaneOperator({ lane: lane.address }) });
      expect(decodeLaneOperator(answer)).toBe(many.operator.address);
    }
  });

  it('deploys by its nonce on a chain without the factory, and again only when the address was not recorded', async () => {
    const bare = await testAnvil();
    const bareRpc = createRpc({ urls: [bare.rpcUrl], timeoutMs: 10_000 });
    try {
      await bare.request('anvil_setCode', [factory, '0x']);
      const { operator } = keys;
      await setLocalBalance(bareRpc, operator.address, 10n ** 24n);
      const first = await ensureContract({ rpc: bareRpc, operator, lanes: [] });
      expect(first.deployed).toBe(true);
      const again = await ensureContract({ rpc: bareRpc, operator, lanes: [], knownAddress: first.address });
      expect(again).toMatchObject({ address: first.address, deployed: false });
      expect(await ensureContract({ rpc: bareRpc, operator, lanes: [] })).toMatchObject({ deployed: false });
    } finally {
      bareRpc.close();
      await bare.stop();
    }
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

describe('examining a contract', () => {
  it('knows our code to the byte, and the first block that has it', async () => {
    const head = Number(await anvil.request('eth_blockNumber', []));
    await anvil.mine(5);
    const { operator } = createOperatorKeys({ seed: new Uint8Array(32).fill(5) });
    await setLocalBalance(rpc, operator.address, 10n ** 24n);
    const { address } = await ensureContract({ rpc, operator, lanes: [] });
    await anvil.mine(5);
    const report = { chainId: anvil.chainId, address, code: 'ours', firstBlock: head + 6 };
    expect(await examineContract(rpc, address)).toEqual(report);
    const code = await getCode(rpc, address, 'latest');
    // The same code at another address has another domain: signatures for one must not count at the other.
    const copy = `0x${'ab'.repeat(20)}` as const;
    await anvil.request('anvil_setCode', [copy, code]);
    expect(await examineContract(rpc, copy)).toMatchObject({ code: 'other' });
    await anvil.request('anvil_setCode', [copy, `${code.slice(0, -2)}00`]);
    expect(await examineContract(rpc, copy)).toMatchObject({ code: 'other' });
    expect(await examineContract(rpc, `0x${'cd'.repeat(20)}`)).toMatchObject({ code: 'none', firstBlock: null });
  });
});
