import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { newWebhookSecret, signedHeaders } from './signatures.ts';

const body = '{"type":"com.indelible.stamp.confirmed.v1","client_ref":"ü 😀"}';

describe('a signature', () => {
  it('is that of Standard Webhooks: HMAC-SHA256 of id, time and body under the secret', () => {
    const secret = newWebhookSecret();
    const headers = signedHeaders('e1', new Date(1_674_087_231_999), body, [secret]);
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const expected = createHmac('sha256', key).update(`e1.1674087231.${body}`).digest('base64');
    expect(headers).toEqual({
      'webhook-id': 'e1',
      'webhook-timestamp': '1674087231',
      'webhook-signature': `v1,${expected}`,
    });
  });

  it('is there for each secret, so that either verifies while one is rotated', () => {
    const secrets = [newWebhookSecret(), newWebhookSecret()];
    const headers = signedHeaders('e1', new Date(), body, secrets);
    for (const secret of secrets) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow('No matching signature found');
    expect(() => signedHeaders('e1', new Date(), body, [])).toThrow(TypeError);
  });
});

describe('a secret', () => {
  it('is whsec_ and 32 random bytes, within the 24 to 64 of Standard Webhooks', () => {
    const secrets = Array.from({ length: 100 }, newWebhookSecret);
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    }
  });
});
