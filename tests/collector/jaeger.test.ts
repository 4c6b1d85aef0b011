import { randomBytes } from 'node:crypto';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type RunningStack, startRunningStack } from '../e2e/support/running-stack.ts';
import { startWebhookReceiver } from '../e2e/support/webhook-receiver.ts';
import { pathsOf, spanOf, wayOfAStamp } from '../traces/support/tree.ts';
import { startJaeger } from './support/jaeger.ts';

jest.setTimeout(180_000);

describe('a real collector', () => {
  let jaeger: Awaited<ReturnType<typeof startJaeger>>;
  let running: RunningStack;
  let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>;
  beforeAll(async () => {
    jaeger = await startJaeger();
    // By the default protocol, and compressed.
    running = await startRunningStack({
      common: {
        OTEL_EXPORTER_OTLP_ENDPOINT: jaeger.endpoint,
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        OTEL_BSP_SCHEDULE_DELAY: '100',
      },
    });
    receiver = await startWebhookReceiver();
    await running.client.createWebhook({ url: receiver.url, types: ['stamp.confirmed', 'file.stored'] });
  });
  afterAll(async () => {
    await running?.stop();
    await receiver?.stop();
    await jaeger?.stop();
  });

  it('has the trace of one stamp, from the request to the webhook, with its batch and its block', async () => {
    const traceId = randomBytes(16).toString('hex');
    const traceparent = `00-${traceId}-${randomBytes(8).toString('hex')}-01`;
    const file = new Blob([randomBytes(1_000)]);
    const { status } = await running.client.stamp({ file, collection_name: 'Traced' }, 'file.bin', { traceparent });
    expect(status).toBe(201);
    const spans = await eventually(
      async () => {
        const found = await jaeger.trace(traceId);
        expect(pathsOf(found)).toEqual(expect.arrayContaining([...wayOfAStamp]));
        return found;
      },
      { timeoutMs: 60_000, intervalMs: 500 },
    );
    process.stderr.write(`${pathsOf(spans).toSorted().join('\n')}\n`);
    const [toBatch] = spanOf(spans, 'stamping: submit').links;
    await eventually(async () => {
      const batch = await jaeger.trace(toBatch?.traceId ?? '');
      expect(spanOf(batch, 'stamping: batch').links).toContainEqual({
        traceId,
        spanId: spanOf(spans, 'stamping: process commands.stamps').spanId,
      });
      const [toBlock] = spanOf(batch, 'stamping: transaction').links;
      const block = await jaeger.trace(toBlock?.traceId ?? '');
      expect(spanOf(block, 'chain-indexer: append block').spanId).toBe(toBlock?.spanId);
    });
  });
});
