import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A collected span. */
export type CollectedSpan = {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly failed: boolean;
};

type Value = { stringValue?: string; intValue?: string | number; doubleValue?: number; boolValue?: boolean };
type Attributes = readonly { readonly key: string; readonly value: Value }[];
type Exported = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string;
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly attributes?: Attributes;
        readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
        readonly status?: { readonly code?: number };
      }[];
    }[];
  }[];
};

/** What a collector does with an export. */
export type CollectorMood = 'takes' | 'hangs' | 'refuses';

/** A collector of OpenTelemetry for tests: it takes OTLP over HTTP in JSON and keeps the spans. */
export async function otlpCollector() {
  const spans: CollectedSpan[] = [];
  const texts: string[] = [];
  const hanging = new Set<ServerResponse>();
  let mood: CollectorMood = 'takes';
  let requests = 0;
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    requests++;
    if (mood === 'hangs') {
      hanging.add(response);
      return;
    }
    if (mood === 'refuses') {
      response.writeHead(400).end();
      return;
    }
    texts.push(text);
    spans.push(...spansOf(JSON.parse(text) as Exported));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: (): readonly CollectedSpan[] => spans,
    /** Of one trace. */
    trace: (traceId: string): readonly CollectedSpan[] => spans.filter((span) => span.traceId === traceId),
    /** All raw input. */
    text: (): string => texts.join('\n'),
    requests: (): number => requests,
    become(next: CollectorMood): void {
      mood = next;
    },
    async stop(): Promise<void> {
      for (const response of hanging) response.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
export type OtlpCollector = Awaited<ReturnType<typeof otlpCollector>>;

const spansOf = ({ resourceSpans }: Exported): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(attributesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap((scope) =>
      scope.spans.map(({ name, traceId, spanId, parentSpanId, attributes, links, status }) => ({
        ...{ service, name, traceId, spanId, parentSpanId: parentSpanId || undefined },
        links: (links ?? []).map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
        attributes: attributesOf(attributes ?? []),
        failed: status?.code === 2,
      })),
    );
  });

const attributesOf = (attributes: Attributes): Record<string, string | number | boolean> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? Number(value.intValue ?? value.doubleValue),
    ]),
  );
