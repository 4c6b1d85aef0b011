import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

const secretBytes = 32;

/** A Standard Webhooks signing secret: `whsec_` and base64 of random bytes. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(secretBytes).toString('base64')}`;

/** The Standard Webhooks headers: one signature per secret, so that the owner can switch from one to the next. */
export function signedHeaders(
  id: string,
  timestamp: Date,
  body: string,
  secrets: readonly string[],
): Record<string, string> {
  if (secrets.length === 0) throw new TypeError('a webhook has a secret');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, timestamp, body)).join(' '),
  };
}
