import { ConfigurationError } from '@indelible/service-runtime';
import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.ts';

const environment = {
  DATABASE_URL: 'postgres://localhost/x',
  KAFKA_BROKERS: 'localhost:9092',
  SCHEMA_REGISTRY_URL: 'http://localhost:8081',
  REDIS_URL: 'redis://localhost',
  RPC_URL: 'http://localhost:8545',
  CHAIN_ID: '1',
  CONTRACT_ADDRESS: `0x${'1'.repeat(40)}`,
  OPERATOR_SEED: '00'.repeat(32),
  CHAIN_INDEXER_URL: 'http://localhost:8101',
};
const gwei = 10n ** 9n;

describe('the configuration of stamping', () => {
  it('has a cap of fees on every chain, unless another is given', () => {
    expect(readConfig(environment).maxFeePerGas).toBe(500n * gwei);
    expect(readConfig({ ...environment, CHAIN_ID: '8453' }).maxFeePerGas).toBe(50n * gwei);
    expect(readConfig({ ...environment, CHAIN_ID: '4711' }).maxFeePerGas).toBe(5_000n * gwei);
    expect(readConfig({ ...environment, MAX_FEE_PER_GAS_GWEI: '7' }).maxFeePerGas).toBe(7n * gwei);
  });
  it('takes the keys of lanes from one place: a seed of their own, AWS KMS, or the operator (a local start)', () => {
    const { OPERATOR_SEED, ...others } = environment;
    const operator = `0x${'2'.repeat(40)}` as const;
    const keysOf = (variables: Record<string, string>) => readConfig({ ...others, ...variables }).laneKeys;
    expect(keysOf({ OPERATOR_SEED })).toEqual({ of: 'operator-seed', seed: OPERATOR_SEED, count: 1 });
    expect(keysOf({ LANE_SEED_FILE: '/seed', LANES: '3', OPERATOR_ADDRESS: operator })).toEqual({
      ...{ of: 'lane-seed', seed: '/seed', count: 3, operator },
    });
    expect(keysOf({ LANE_KMS_KEYS: 'alias/a, alias/b', OPERATOR_ADDRESS: operator })).toEqual({
      ...{ of: 'kms', keys: ['alias/a', 'alias/b'], operator },
    });
    for (const wrong of [
      {},
      { OPERATOR_SEED, LANE_SEED: OPERATOR_SEED, OPERATOR_ADDRESS: operator },
      { LANE_SEED: OPERATOR_SEED, LANE_KMS_KEYS: 'alias/a', OPERATOR_ADDRESS: operator },
      { LANE_SEED: OPERATOR_SEED },
      { LANE_KMS_KEYS: 'alias/a,alias/a', OPERATOR_ADDRESS: operator },
    ])
      expect(() => keysOf(wrong as Record<string, string>)).toThrow(ConfigurationError);
  });
  it('refuses a chain that takes the cost of data from the gas of a transaction, and says so', () => {
    expect(() => readConfig({ ...environment, CHAIN_ID: '42161' })).toThrow(/CHAIN_ID is that of Arbitrum One/);
  });
});
