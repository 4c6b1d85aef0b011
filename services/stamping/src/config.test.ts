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
  it('refuses a chain that takes the cost of data from the gas of a transaction, and says so', () => {
    expect(() => readConfig({ ...environment, CHAIN_ID: '42161' })).toThrow(/CHAIN_ID is that of Arbitrum One/);
  });
});
