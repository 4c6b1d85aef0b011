import type { Registry } from 'prom-client';

/** A span's data besides its times: nothing of accounts, keys or content (I10). */
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
  /** Context for the next steps of the trace. */
  readonly traceparent: string;
  /** A span that is never ended is never exported. */
  end(attributes?: SpanAttributes, outcome?: 'failed'): void;
};

/**
 * The port through which services record spans. Only sampled requests have any: see `steps.ts` for work on many
 * messages.
 */
export type Tracing = {
  /** False: nothing is ever recorded or prepared. */
  readonly on: boolean;
  /** Whether a request from outside is traced, by the configured sampler and its traceparent. */
  samples(traceparent: string | undefined): boolean;
  /**
   * Begins a span in the trace of `parent`, or a new trace. Undefined when tracing is off, or `parent` is not sampled.
   */
  begin(parent: string | undefined, start: SpanStart): Span | undefined;
  /** Counts the outcomes of spans in this registry. */
  countIn(metrics: Registry): void;
  /** Exports the rest, within a short time. */
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
