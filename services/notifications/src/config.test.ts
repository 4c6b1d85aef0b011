import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.ts';

const required = {
  DATABASE_URL: 'postgresql://x/y',
  KAFKA_BROKERS: 'x:1',
  SCHEMA_REGISTRY_URL: 'http://x',
  CONTRACT_ADDRESS: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  WEBHOOK_SEALING_KEYS: `one:${Buffer.alloc(32, 1).toString('base64')}`,
};

describe('the configuration', () => {
  it('has the documented defaults', () => {
    expect(readConfig(required)).toMatchObject({
      publicTopicPrefix: 'indelible.',
      eventSource: 'indelible',
      publicUrl: 'http://127.0.0.1:8080',
      contractAddress: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
      internalPort: 8105,
      webhookAllowLoopbackHttp: false,
      webhookDeniedNetworks: [],
      accountWebhooks: 20,
    });
  });

  it('takes a public URL with or without a slash at its end', () => {
    expect(readConfig({ ...required, PUBLIC_URL: 'https://api.example.com/' }).publicUrl).toBe(
      'https://api.example.com',
    );
  });

  it('names an invalid sealing key by its number, and not by its text (I10)', () => {
    const read = () =>
      readConfig({ ...required, WEBHOOK_SEALING_KEYS: `${required.WEBHOOK_SEALING_KEYS},two:c2VjcmV0` });
    expect(read).toThrow(/WEBHOOK_SEALING_KEYS key 2/);
    expect(read).not.toThrow(/c2VjcmV0/);
  });

  it('takes networks that webhooks may not reach, and none that means another', () => {
    const read = (text: string) => readConfig({ ...required, WEBHOOK_DENIED_NETWORKS: text }).webhookDeniedNetworks;
    expect(read('203.0.113.0/24, 2001:db8::/32')).toHaveLength(2);
    for (const text of [
      '203.0.113.7/24',
      '203.0.113.0',
      '203.0.113.0/33',
      '0203.0.113.0/24',
      'fe80::1%1/128',
      'intranet',
    ])
      expect(() => read(text)).toThrow(/WEBHOOK_DENIED_NETWORKS .* is no network/);
  });

  it('reports all faults at once', () => {
    expect(() => readConfig({ EVENT_SOURCE: 'not a URI' })).toThrow(
      /DATABASE_URL.*EVENT_SOURCE.*CONTRACT_ADDRESS.*WEBHOOK_SEALING_KEYS/s,
    );
  });
});
