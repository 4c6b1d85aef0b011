import { randomBytes } from 'node:crypto';
import { eventually, type OtlpCollector, otlpCollector } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type RunningStack, startRunningStack } from '../e2e/support/running-stack.ts';
import { startWebhookReceiver } from '../e2e/support/webhook-receiver.ts';
import { pathsOf, spanOf, wayOfAStamp } from './support/tree.ts';

jest.setTimeout(120_000);

let collector: OtlpCollector;
let running: RunningStack;
let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>;
beforeAll(async () => {
  collector = await otlpCollector();
  running = await startRunningStack({
    common: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_BSP_MAX_QUEUE_SIZE: '64',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '16',
    },
  });
  receiver = await startWebhookReceiver();
  await running.client.createWebhook({
    url: receiver.url,
    types: ['stamp.submitted', 'stamp.confirmed', 'file.stored'],
  });
});
afterAll(async () => {
  await running?.stop();
  await receiver?.stop();
  await collector?.stop();
});

const newTrace = (flags: '00' | '01') => {
  const traceId = randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` };
};

const stampFile = (content: Buffer, traceparent: string) =>
  running.client.stamp({ file: new Blob([content]), collection_name: 'Traced' }, 'secret-name.bin', { traceparent });

const webhooksOf = (traceId: string): readonly string[] =>
  receiver.received.flatMap(({ headers }) =>
    String(headers.traceparent).includes(traceId) ? [String(headers.traceparent)] : [],
  );

describe('a stamp whose caller samples', () => {
  const caller = newTrace('01');
  const content = randomBytes(1_000);

  it('is one trace from the request through every service to the webhook', async () => {
    const { status } = await stampFile(content, caller.traceparent);
    expect(status).toBe(201);
    await eventually(
      () => expect(pathsOf(collector.trace(caller.traceId))).toEqual(expect.arrayContaining([...wayOfAStamp])),
      {
        timeoutMs: 60_000,
      },
    );
    const spans = collector.trace(caller.traceId);
    expect(spanOf(spans, 'gateway: POST /api/v1/stamps')).toMatchObject({
      parentSpanId: caller.spanId,
      attributes: { 'http.request.method': 'POST', 'http.route': '/api/v1/stamps', 'http.response.status_code': 201 },
    });
    expect(spans.filter(({ failed }) => failed)).toEqual([]);
  });

  it('is linked with its batch, whose trace has the transaction, which is linked with its block', async () => {
    const spans = collector.trace(caller.traceId);
    const decision = spanOf(spans, 'stamping: process commands.stamps');
    const [toBatch] = spanOf(spans, 'stamping: submit').links;
    await eventually(() => {
      const batch = collector.trace(toBatch!.traceId);
      expect(pathsOf(batch).toSorted()).toEqual([
        'stamping: batch',
        'stamping: batch > stamping: broadcast',
        'stamping: batch > stamping: transaction',
      ]);
      expect(spanOf(batch, 'stamping: batch')).toMatchObject({
        spanId: toBatch!.spanId,
        links: [{ traceId: caller.traceId, spanId: decision.spanId }],
      });
      const [toBlock] = spanOf(batch, 'stamping: transaction').links;
      expect(spanOf(spans, 'stamping: confirm').links).toEqual([toBlock]);
      expect(spanOf(collector.trace(toBlock!.traceId), 'chain-indexer: append block').spanId).toBe(toBlock!.spanId);
    });
  });

  it('has its trace in each public event and each webhook request, and in the lines of the log', async () => {
    await eventually(() => expect(webhooksOf(caller.traceId)).toHaveLength(3));
    const { events } = (
      await running.client.get<{ events: { subject: string; type: string; traceparent?: string }[] }>(
        '/events?wait=0&limit=1000',
      )
    ).body;
    const ofTrace = events.filter(({ traceparent }) => traceparent?.includes(caller.traceId)).map(({ type }) => type);
    expect(ofTrace).toEqual(
      expect.arrayContaining(
        ['stamp.submitted', 'stamp.confirmed', 'file.stored'].map((name) => `com.indelible.${name}.v1`),
      ),
    );
    const lines = running.log.filter((line) => line.includes(caller.traceId)).map(messageOf);
    expect(lines).toEqual(
      expect.arrayContaining(['requests decided', 'batch signed', 'stamps confirmed', 'files stored', 'request']),
    );
  });

  it('exports no account, key, name or content (I10)', () => {
    const { apiKey, userAddress } = running.connection;
    const exported = collector.text().toLowerCase();
    expect(exported).toContain(caller.traceId);
    for (const secret of [
      apiKey,
      userAddress,
      'secret-name',
      'Traced',
      receiver.url,
      content.toString('hex').slice(0, 32),
    ])
      expect(exported).not.toContain(secret.toLowerCase());
  });
});

describe('a stamp whose caller does not sample', () => {
  it('exports nothing, and its context goes on to its events as it came', async () => {
    const refused = newTrace('00');
    const after = newTrace('01');
    expect((await stampFile(randomBytes(1_000), refused.traceparent)).status).toBe(201);
    await eventually(() => expect(webhooksOf(refused.traceId)).toHaveLength(3), { timeoutMs: 60_000 });
    expect(new Set(webhooksOf(refused.traceId))).toEqual(new Set([refused.traceparent]));
    // What the next stamp exports comes behind whatever this one would.
    expect((await stampFile(randomBytes(1_000), after.traceparent)).status).toBe(201);
    await eventually(
      () => expect(pathsOf(collector.trace(after.traceId))).toEqual(expect.arrayContaining([...wayOfAStamp])),
      {
        timeoutMs: 60_000,
      },
    );
    expect(collector.trace(refused.traceId)).toEqual([]);
    const linked = collector.spans().filter(({ links }) => links.some(({ traceId }) => traceId === refused.traceId));
    expect(linked).toEqual([]);
  });
});

describe('a collector that hangs', () => {
  it('delays no stamp: spans are dropped and counted, and every service stops as usual (I11)', async () => {
    collector.become('hangs');
    const metricsOf = async (service: 'gateway' | 'stamping'): Promise<string> =>
      (await fetch(`${running.stack.services[service].internalUrl}/metrics`)).text();
    await eventually(
      async () => {
        const answers = await Promise.all(
          Array.from({ length: 40 }, () => running.client.stamp({ data_cid: `0x${randomBytes(32).toString('hex')}` })),
        );
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
        for (const service of ['gateway', 'stamping'] as const)
          expect(await metricsOf(service)).toMatch(/indelible_spans_total\{outcome="dropped"\} [1-9]/);
      },
      { timeoutMs: 60_000 },
    );
    await running.stack.stop();
    const ended = running.log.filter((line) => line.includes('"msg":"stopped"'));
    expect(ended).toHaveLength(Object.keys(running.stack.services).length);
    expect(running.log.join('\n')).not.toContain('did not stop in time');
  });
});

const messageOf = (line: string): string => {
  const start = line.indexOf('{');
  return start < 0 ? '' : (JSON.parse(line.slice(start)) as { msg: string }).msg;
};
