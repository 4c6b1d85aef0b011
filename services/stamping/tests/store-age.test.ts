import { bytesOfHex } from '@indelible/identifiers';
import { createLogger } from '@indelible/service-runtime';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { operatorOfLane } from '../src/batching/lane-grant.ts';
import { createStoreAge } from '../src/batching/store-age.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

let fixture: Fixture;
beforeEach(async () => {
  fixture = await createFixture();
});
afterEach(() => fixture.dispose());

const laneOf = () => fixture.lanes[0]!.address;

function createAge(over: Partial<Parameters<typeof createStoreAge>[0]> = {}) {
  const { database, rpc, chainId, contract, operator, lanes } = fixture;
  let clock = 0;
  return createStoreAge({
    ...{ database, rpc, chainId },
    logger: createLogger({ service: 'test', level: 'silent' }),
    served: () => lanes.map(({ address }) => address),
    isGranted: async (lane) => (await operatorOfLane(rpc, contract, lane)) === operator,
    now: () => (clock += 10_000),
    ...over,
  });
}
/** A transaction that is not stored, like one that a database has lost. */
async function sendFromLane(): Promise<void> {
  await fixture.anvil.request('anvil_impersonateAccount', [laneOf()]);
  await fixture.anvil.request('eth_sendTransaction', [{ from: laneOf(), to: laneOf(), gas: '0x5208' }]);
}
const setNext = (nonce: number) =>
  fixture.database.query('update lanes set next_nonce = $1 where lane = $2', [nonce, bytesOfHex(laneOf())]);

it('finds a database behind whose lane has a transaction on the chain or in a pool that it gave no nonce for (I2, I3)', async () => {
  const known = createAge();
  await expect(known.passed()).resolves.toBeUndefined();
  await expect(known.lookAt(laneOf())).resolves.toBeUndefined();
  await sendFromLane();

  // New to the lane, and the transaction waits for its block.
  const age = createAge();
  await expect(age.passed()).rejects.toThrow('run `indelible restore`');
  expect(age.isBehind()).toBe(true);
  await expect(known.lookAt(laneOf())).rejects.toThrow('run `indelible restore`');
  await fixture.anvil.mine();
  // The lane's row is made with its lease.
  await fixture.sign();
  await expect(age.passed()).rejects.toThrow('up to nonce 0, the database expects 0 next');

  await setNext(1);
  await age.passed();
  expect(age.isBehind()).toBe(false);
});

it('goes on when the key of a lane that the operator removed is used elsewhere (I11)', async () => {
  await fixture.sign();
  await sendFromLane();
  await expect(createAge().passed()).rejects.toThrow('run `indelible restore`');
  await expect(createAge({ isGranted: async () => false }).passed()).resolves.toBeUndefined();
});

it('goes on when the key of a lane is used elsewhere after the database has passed (I11)', async () => {
  await fixture.sign();
  const age = createAge();
  await age.passed();
  await sendFromLane();
  await expect(age.passed()).resolves.toBeUndefined();
  await expect(age.lookAt(laneOf())).resolves.toBeUndefined();
  expect(age.isBehind()).toBe(false);
});

it('blames no message for an answer of a node that it does not understand: it is tried again (I6)', async () => {
  const refusing = {
    ...fixture.rpc,
    call: () => Promise.reject(Object.assign(new Error('no such method'), { retryable: false })),
  };
  const age = createAge({ rpc: refusing });
  await expect(age.passed()).rejects.toMatchObject({ name: 'UnavailableError', retryable: true });
  await expect(age.lookAt(laneOf())).rejects.toMatchObject({ name: 'UnavailableError', retryable: true });
  expect(age.isBehind()).toBe(false);
});
