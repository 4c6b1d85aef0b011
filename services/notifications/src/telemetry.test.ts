import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { createTelemetry } from './telemetry.ts';

describe('telemetry of webhooks', () => {
  it('names the host of a URL alone, and counts by outcome (I10)', async () => {
    const lines: object[] = [];
    const note = (fields: object, message: string) => void lines.push({ ...fields, message });
    const logger = { debug: note, info: note, warn: note, error: note, child: () => logger };
    const metrics = new Registry();
    const telemetry = createTelemetry(logger, metrics, { lanes: () => [] });
    const url = 'https://example.com:8443/private-path?token=private';
    const attempt = { at: '', status: 500, body: 'private answer', error: null, durationMs: 7 };
    for (const outcome of ['delivered', 'waiting', 'failed'] as const)
      telemetry.attempted('w', url, outcome, { attempt, retryAfter: undefined });
    telemetry.webhookDisabled({ webhookId: 'w', account: '0x01' }, url);
    const told = JSON.stringify(lines) + (await metrics.metrics());
    expect(lines).toContainEqual(
      expect.objectContaining({ host: 'example.com:8443', status: 500, message: 'Webhook delivery failed for good' }),
    );
    expect(lines).toContainEqual(expect.objectContaining({ webhookId: 'w', message: 'Webhook disabled' }));
    expect(told).not.toContain('private');
    expect(told).toContain('indelible_notifications_webhook_attempts_total{outcome="waiting"} 1');
    expect(told).toContain('indelible_notifications_webhooks_disabled_total 1');
  });
});
