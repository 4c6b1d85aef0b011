import { encodeRemoveLane } from '@indelible/commitment-contract';
import { createRpc, getTransactionCount, type Rpc, sendAndWait } from '@indelible/ethereum';
import { createOperatorKeys, createSeedLanes } from '@indelible/ethereum/custody';
import type { Hex } from '@indelible/identifiers';
import { testAnvil } from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  addLane,
  type ConsentingLane,
  DeploymentError,
  ensureContract,
  type LaneGrantRequest,
  operatorOfLane,
  readLaneGrants,
  requestLaneGrants,
  type SignedLaneGrants,
  sendLaneGrants,
  setLocalBalance,
  signLaneGrants,
} from '../src/provisioning.ts';

const { operator } = createOperatorKeys({ seed: new Uint8Array(32).fill(1) });
const stranger = createOperatorKeys({ seed: new Uint8Array(32).fill(2) }).operator;
const wait = { timeoutMs: 10_000 };
let anvil: Awaited<ReturnType<typeof testAnvil>>;
let rpc: Rpc;
let contract: Hex;
let lanes: readonly ConsentingLane[];
let seeds = 100;
beforeAll(async () => {
  anvil = await testAnvil();
  rpc = createRpc({ urls: [anvil.rpcUrl], timeoutMs: 10_000 });
  for (const { address } of [operator, stranger]) await setLocalBalance(rpc, address, 10n ** 24n);
  contract = (await ensureContract({ rpc, operator, lanes: [] })).address;
});
beforeEach(async () => {
  const signer = createSeedLanes({ seed: new Uint8Array(32).fill(seeds++) });
  lanes = await Promise.all(
    [0, 1].map(async (index) => ({
      address: await signer.address(index),
      signDigest: (digest: Hex) => signer.signDigest(index, digest),
    })),
  );
});
afterAll(async () => {
  rpc.close();
  await anvil.stop();
});

/** As a file between two machines. */
const carried = (content: LaneGrantRequest): SignedLaneGrants => readLaneGrants(JSON.stringify(content));
const request = (of: readonly ConsentingLane[] = lanes, by = operator.address) =>
  requestLaneGrants(rpc, { contract, operator: by }, of);
const holders = () => Promise.all(lanes.map(({ address }) => operatorOfLane({ rpc, contract }, address)));

describe('grants of lanes whose operator is elsewhere', () => {
  it('are requested with no key of the operator, signed with no network, and sent by anybody: once, however often', async () => {
    const file = carried(await request());
    expect(await holders()).toEqual([undefined, undefined]);
    await expect(sendLaneGrants(rpc, file, wait)).rejects.toThrow('0 are signed');
    const signed = carried(signLaneGrants(file, operator));
    expect(await sendLaneGrants(rpc, signed, wait)).toEqual(lanes.map(({ address }) => address));
    expect(await holders()).toEqual([operator.address, operator.address]);
    const sent = await getTransactionCount(rpc, operator.address, 'latest');
    expect(await sendLaneGrants(rpc, signed, wait)).toEqual([]);
    expect((await request()).grants).toEqual([]);
    expect(await getTransactionCount(rpc, operator.address, 'latest')).toBe(sent);
  });

  it('leave out a lane that was removed: what a pool has of it would write again (I2)', async () => {
    await sendLaneGrants(rpc, signLaneGrants(await request(), operator), wait);
    const [lane, other] = lanes as [ConsentingLane, ConsentingLane];
    const call = { to: contract, data: encodeRemoveLane({ lane: lane.address }) };
    await sendAndWait(rpc, operator, call, wait);
    const removed: Hex[] = [];
    const onRemoved = (address: Hex): void => void removed.push(address);
    const left = await requestLaneGrants(rpc, { contract, operator: operator.address }, lanes, { onRemoved });
    expect([left.grants, removed]).toEqual([[], [lane.address]]);
    const by = { rpc, contract, operator, ...wait };
    expect([await addLane({ ...by, lane }), await addLane({ ...by, lane: other })]).toEqual(['removed', 'is added']);
    expect(await holders()).toEqual([undefined, operator.address]);
    const again = await requestLaneGrants(rpc, { contract, operator: operator.address }, [lane], { again: true });
    expect(await sendLaneGrants(rpc, signLaneGrants(again, operator), wait)).toEqual([lane.address]);
  });

  it('still hold when the base fee is several times what it was', async () => {
    const signed = signLaneGrants(await request(), operator);
    const [{ baseFeePerGas } = { baseFeePerGas: '0x1' }] = [
      await rpc.call<{ baseFeePerGas: Hex }>('eth_getBlockByNumber', ['latest', false]),
    ];
    await rpc.call('anvil_setNextBlockBaseFeePerGas', [`0x${(BigInt(baseFeePerGas) * 5n).toString(16)}`]);
    expect(await sendLaneGrants(rpc, signed, wait)).toHaveLength(2);
  });

  it('are signed by their operator alone, and sent only as they were requested', async () => {
    const file = await request();
    expect(() => signLaneGrants(file, stranger)).toThrow(DeploymentError);
    const signed = signLaneGrants(file, operator);
    const others = await request(lanes.toReversed());
    for (const wrong of [
      { ...signed, signed: signed.signed.toReversed() },
      { ...signed, signed: signed.signed.slice(1) },
      { ...others, signed: signed.signed },
      { ...signed, chainId: 1 },
      { ...signed, contract: stranger.address },
    ])
      await expect(sendLaneGrants(rpc, wrong, wait)).rejects.toThrow(DeploymentError);
    for (const text of ['', '[]', 'null', '{"format":"other"}'])
      expect(() => readLaneGrants(text)).toThrow(DeploymentError);
    expect(await holders()).toEqual([undefined, undefined]);
    expect(await sendLaneGrants(rpc, signed, wait)).toHaveLength(2);
    await expect(request(lanes, stranger.address)).rejects.toThrow(/another operator/);
  });
});
