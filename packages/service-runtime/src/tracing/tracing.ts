import type { Registry } from 'prom-client';

/** What a span says besides its times: nothing of accounts, keys or content (I10). */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export type SpanStart = {
  readonly name: string;
  /** Default: internal. */
  readonly kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly attributes?: SpanAttributes;
  /** Traceparents of spans in other traces that this one belongs with; at most {@link mostLinks} are kept. */
  readonly links?: readonly string[];
  /** In ms since 1970. Default: now. */
  readonly startedAt?: number;
};

export type Span = {
  /** What the next steps of the trace carry on. */
  readonly traceparent: string;
  /** A span that is never ended is never exported. */
  end(attributes?: SpanAttributes, outcome?: 'failed'): void;
};

/** The port through which services record spans. Only what is sampled makes any: see `steps.ts` for work on many messages. */
export type Tracing = {
  /** False: nothing is ever recorded, and nothing need be prepared for it. */
  readonly on: boolean;
  /** Whether a request from outside is traced, by the configured sampler and the traceparent that it came with. */
  samples(traceparent: string | undefined): boolean;
  /** Begins a span in the trace of `parent`, or a trace of its own. Undefined when tracing is off, or `parent` is not sampled. */
  begin(parent: string | undefined, start: SpanStart): Span | undefined;
  /** Counts in this registry what became of the spans. */
  countIn(metrics: Registry): void;
  /** Exports what is left, for a short time at most. */
  stop(): Promise<void>;
};

export const mostLinks = 128;

/** Without configuration: no code of OpenTelemetry is loaded. */
export const noTracing: Tracing = {
  on: false,
  samples: () => false,
  begin: () => undefined,
  countIn() {},
  async stop() {},
};
