import { createOperatorKeys } from '@indelible/ethereum/custody';
import { type TestKms, testKms } from '@indelible/testing';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { type RunningStack, startRunningStack } from './support/running-stack.ts';

jest.setTimeout(120_000);

const operatorSeed = '0e'.repeat(32);
const keys = createOperatorKeys({ seed: Buffer.from(operatorSeed, 'hex') });
let kms: TestKms;
let running: RunningStack;
beforeAll(async () => {
  kms = await testKms();
  kms.createKey('alias/lane-0', keys.lane(0).privateKey);
  running = await startRunningStack({
    operatorSeed,
    stamping: {
      ...kms.environment,
      OPERATOR_SEED: '',
      OPERATOR_ADDRESS: keys.operator.address,
      LANE_KMS_KEYS: 'alias/lane-0',
    },
  });
});
afterAll(async () => {
  await running?.stop();
  await kms?.stop();
});

it('stamping runs with the keys of its lanes alone, also when they are where nobody can read them', async () => {
  expect(await running.client.stamp({ data_cid: `0x${'a1'.repeat(32)}` })).toMatchObject({ status: 201 });
  const { internalUrl } = running.stack.services.stamping;
  expect(await (await fetch(`${internalUrl}/health/ready`)).json()).toMatchObject({ waiting: [] });
  expect(kms.requests.Sign).toBeGreaterThan(0);
});
