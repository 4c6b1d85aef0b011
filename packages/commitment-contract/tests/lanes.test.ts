import type { Hex } from '@indelible/identifiers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Wallet } from 'ethers';
import {
  decodeLaneOperator,
  encodeAddLane,
  encodeAddUserSet,
  encodeCommitBatch,
  encodeGrant,
  encodeLaneOperator,
  encodeRemoveLane,
  laneTypedData,
} from '../src/index.ts';
import { addressNumber, type Chain, callData, cidNumber, startChain } from './support/chain.ts';
import { addressOfWallet, sign, walletNumber } from './support/lane.ts';
import { encode, eventsOf, outcome, outsider, view } from './support/outcome.ts';

const set = cidNumber(1);
let chain: Chain;
let wallet: Wallet;
let lane: Hex;
let operator: Hex;
let rival: Hex;
let user: Hex;
let next = 1;

beforeAll(async () => {
  chain = await startChain();
}, 60_000);
afterAll(async () => chain?.stop());
beforeEach(() => {
  wallet = walletNumber(next++);
  lane = addressOfWallet(wallet);
  [operator, rival, user] = [addressNumber(next++), addressNumber(next++), addressNumber(next++)];
});

async function operatorOf(): Promise<Hex | undefined> {
  const result = await chain.call({ from: outsider, data: encodeLaneOperator({ lane }) });
  return decodeLaneOperator('answer' in result ? result.answer : '0x');
}
const consent = async (to: Hex, nonce: bigint) => sign(wallet, laneTypedData(chain, { operator: to, nonce }));
const add = (from: Hex, signature: Hex) => outcome(chain, { from, data: encodeAddLane({ lane, signature }) });
const remove = (from: Hex) => outcome(chain, { from, data: encodeRemoveLane({ lane }) });

describe('addLane', () => {
  it("binds a lane that consented; then it writes with its operator's authority in every function for users", async () => {
    await eventsOf(chain, { from: user, data: encodeGrant({ delegate: operator }) });
    const addSet = { from: lane, data: encodeAddUserSet({ user, setCid: set }) };
    expect(await outcome(chain, addSet)).toEqual({ error: 'Unauthorized' });
    expect(await add(operator, await consent(operator, 0n))).toMatchObject({
      events: [{ kind: 'LaneAdded', operator, lane }],
    });
    expect(await operatorOf()).toBe(operator);
    expect(await view(chain, 'checkAuthority', [user], lane)).toEqual([true]);
    expect(await view(chain, 'delegatedAuthority', [user, lane])).toEqual([false]);
    expect(await eventsOf(chain, addSet)).toHaveLength(1);
    for (const [name, ...values] of [
      ['addUserObject', user, set],
      ['addUserSetObject', user, set, set],
      ['addUserSetObjectsBatch', user, set, [set]],
      ['addUserSetsObjectsBatch', user, [set], [set]],
      ['addUsersSetsObjectsBatch', [user], [set], [set]],
    ] as const) {
      expect(await eventsOf(chain, { from: lane, data: encode(name, ...values) })).toHaveLength(1);
    }
  });

  it("takes nobody's address without consent: not for another operator, not with another's signature", async () => {
    const signature = await consent(operator, 0n);
    expect(await add(rival, signature)).toEqual({ error: 'InvalidSignature' });
    expect(
      await add(rival, await sign(walletNumber(next++), laneTypedData(chain, { operator: rival, nonce: 0n }))),
    ).toEqual({
      error: 'InvalidSignature',
    });
    expect(await add(operator, await consent(operator, 1n))).toEqual({ error: 'InvalidSignature' });
    expect(await operatorOf()).toBeUndefined();
  });

  it("leaves another operator's lane alone, even when the lane signs", async () => {
    await add(operator, await consent(operator, 0n));
    expect(await add(rival, await consent(rival, 1n))).toEqual({ error: 'Unauthorized' });
    expect(await operatorOf()).toBe(operator);
  });

  it('again is nothing, so that a start can repeat it', async () => {
    const signature = await consent(operator, 0n);
    await add(operator, signature);
    expect(await add(operator, signature)).toMatchObject({ events: [] });
    expect(await operatorOf()).toBe(operator);
  });

  it('gives a lane no authority that its own users granted it', async () => {
    await eventsOf(chain, { from: user, data: encodeGrant({ delegate: lane }) });
    await add(operator, await consent(operator, 0n));
    expect(await view(chain, 'checkAuthority', [user], lane)).toEqual([false]);
  });

  it('writes for its operator and for itself without any grant, in a batch and alone', async () => {
    await add(operator, await consent(operator, 0n));
    for (const owner of [operator, lane]) {
      const runs = [{ user: owner, count: 0, newSet: true, setCid: cidNumber(2) }];
      expect(await eventsOf(chain, { from: lane, data: encodeAddUserSet({ user: owner, setCid: set }) })).toHaveLength(
        1,
      );
      expect(await eventsOf(chain, { from: lane, data: callData(encodeCommitBatch(runs, [])) })).toHaveLength(1);
    }
  });

  it('lends authority one step only: a lane of a lane does not write for the operator', async () => {
    await eventsOf(chain, { from: user, data: encodeGrant({ delegate: operator }) });
    await add(operator, await consent(operator, 0n));
    const second = walletNumber(next++);
    const signature = await sign(second, laneTypedData(chain, { operator: lane, nonce: 0n }));
    await eventsOf(chain, { from: lane, data: encodeAddLane({ lane: addressOfWallet(second), signature }) });
    expect(await view(chain, 'checkAuthority', [user], addressOfWallet(second))).toEqual([false]);
  });
});

describe('removeLane', () => {
  it("by the operator ends the lane's authority at once; the old consent is spent", async () => {
    const signature = await consent(operator, 0n);
    await eventsOf(chain, { from: user, data: encodeGrant({ delegate: operator }) });
    await add(operator, signature);
    expect(await remove(operator)).toMatchObject({ events: [{ kind: 'LaneRemoved', operator, lane }] });
    expect(await operatorOf()).toBeUndefined();
    expect(await outcome(chain, { from: lane, data: encodeAddUserSet({ user, setCid: set }) })).toEqual({
      error: 'Unauthorized',
    });
    expect(await add(operator, signature)).toEqual({ error: 'InvalidSignature' });
    expect(await add(rival, await consent(rival, 1n))).toMatchObject({
      events: [{ kind: 'LaneAdded', operator: rival, lane }],
    });
  });

  it('is open to the lane itself and to nobody else', async () => {
    expect(await remove(operator)).toEqual({ error: 'Unauthorized' });
    expect(await remove(lane)).toEqual({ error: 'Unauthorized' });
    await add(operator, await consent(operator, 0n));
    expect(await remove(rival)).toEqual({ error: 'Unauthorized' });
    expect(await remove(lane)).toMatchObject({ events: [{ kind: 'LaneRemoved', operator, lane }] });
  });
});
