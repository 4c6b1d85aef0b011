import { createLogger } from '@indelible/service-runtime';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createStoreAge } from '../src/batching/store-age.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
});
afterAll(() => fixture.dispose());

const createAge = () => {
  const { database, rpc, chainId, lanes } = fixture;
  const logger = createLogger({ service: 'test', level: 'silent' });
  const served = () => lanes.map(({ address }) => address);
  let clock = 0;
  return createStoreAge({ ...{ database, rpc, chainId, served, logger }, now: () => (clock += 10_000) });
};
const next = (nonce: number) =>
  fixture.database.query('update lanes set next_nonce = $1 where lane = $2', [
    nonce,
    Buffer.from(fixture.lanes[0]!.address.slice(2), 'hex'),
  ]);

it('finds a database behind whose lane has a transaction on the chain or in a pool that it gave no nonce for (I2, I3)', async () => {
  const { anvil, lanes } = fixture;
  const lane = lanes[0]!.address;
  await expect(createAge().passed()).resolves.toBeUndefined();
  await anvil.request('anvil_impersonateAccount', [lane]);
  await anvil.request('eth_sendTransaction', [{ from: lane, to: lane, gas: '0x5208' }]);

  // New to the lane, and the transaction waits for its block.
  const age = createAge();
  await expect(age.passed()).rejects.toThrow('run `indelible restore`');
  expect(age.isBehind()).toBe(true);
  await anvil.mine();
  // The lane's row is made with its lease.
  await fixture.sign();
  await expect(age.look()).rejects.toThrow('up to nonce 0, the database expects 0 next');

  await next(1);
  await age.passed();
  expect(age.isBehind()).toBe(false);
});
