import { describe, expect, it } from '@jest/globals';
import { environmentOf, type ServiceSettings, wantedPorts } from './service-table.ts';

const settings: ServiceSettings = {
  databaseUrl: 'postgresql://x/y',
  kafkaBrokers: 'x:1',
  schemaRegistryUrl: 'http://x',
  redisUrl: 'redis://x',
  rpcUrl: 'http://x',
  chainId: 31337,
  contractAddress: '0x00',
  operatorSeed: 'seed',
  webhookSealingKeys: 'local:key',
  blobDirectory: '/x',
  topicPrefix: '',
  publicTopicPrefix: 'indelible.',
  ports: wantedPorts,
};

describe('a local start', () => {
  it('has no rate limit', () => {
    expect(environmentOf('gateway', settings)).toMatchObject({ RATE_LIMIT_PER_SECOND: '0' });
  });
  it('has no daily quotas', () => {
    const none = { ACCOUNT_STAMPS_PER_DAY: '0', ACCOUNT_BYTES_PER_DAY: '0' };
    expect(environmentOf('gateway', settings)).toMatchObject(none);
  });
});
