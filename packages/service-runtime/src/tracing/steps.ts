import { isSampled } from './traceparent.ts';
import type { Span, SpanAttributes, SpanStart, Tracing } from './tracing.ts';

/** One step that serves many traces: a span in each of them. */
export type Steps = {
  /** The context after the step in the trace of `traceparent`; unchanged without a span. */
  after(traceparent: string): string;
  end(attributes?: SpanAttributes, outcome?: 'failed'): void;
};

const noSteps: Steps = { after: (traceparent) => traceparent, end() {} };

/** Sampled contexts, each once. Reads nothing while tracing is off. */
export function sampledOf(
  tracing: Pick<Tracing, 'on'>,
  traceparents: Iterable<string | null | undefined>,
): readonly string[] {
  if (!tracing.on) return none;
  const sampled = new Set<string>();
  for (const traceparent of traceparents) if (isSampled(traceparent)) sampled.add(traceparent);
  return sampled.size === 0 ? none : [...sampled];
}
const none: readonly string[] = [];

/** Begins the step in each of these traces; a context has one span, however many messages carry it. */
export function beginSteps(tracing: Tracing, sampled: readonly string[], start: SpanStart): Steps {
  if (sampled.length === 0) return noSteps;
  const spans = new Map<string, Span>();
  for (const traceparent of sampled) {
    const span = tracing.begin(traceparent, start);
    if (span !== undefined) spans.set(traceparent, span);
  }
  return {
    after: (traceparent) => spans.get(traceparent)?.traceparent ?? traceparent,
    end(attributes, outcome) {
      for (const span of spans.values()) span.end(attributes, outcome);
    },
  };
}

/** Handles messages as a step of their traces: `work` gets them with the contexts of the step. */
export async function handleInSteps<Message extends { readonly traceparent?: string }, Result>(
  tracing: Tracing,
  messages: readonly Message[],
  start: SpanStart,
  work: (messages: readonly Message[]) => Promise<Result>,
): Promise<Result> {
  const sampled = sampledOf(tracing, contextsOf(messages));
  if (sampled.length === 0) return work(messages);
  const steps = beginSteps(tracing, sampled, start);
  try {
    const result = await work(messages.map((message) => carrying(message, steps)));
    steps.end();
    return result;
  } catch (error) {
    steps.end({ 'error.type': error instanceof Error ? error.name : 'unknown' }, 'failed');
    throw error;
  }
}

function* contextsOf(messages: readonly { readonly traceparent?: string }[]): Iterable<string | undefined> {
  for (const { traceparent } of messages) yield traceparent;
}

const carrying = <Message extends { readonly traceparent?: string }>(message: Message, steps: Steps): Message =>
  message.traceparent === undefined ? message : { ...message, traceparent: steps.after(message.traceparent) };

const kafka = (operation: 'send' | 'process', topic: string) => ({
  name: `${operation} ${topic}`,
  attributes: {
    'messaging.system': 'kafka',
    'messaging.operation.type': operation,
    'messaging.destination.name': topic,
  },
});

/** Publishing to a topic. */
export const sending = (topic: string): SpanStart => ({ ...kafka('send', topic), kind: 'producer' });

/** Handling messages of a topic. */
export const processing = (topic: string): SpanStart => ({ ...kafka('process', topic), kind: 'consumer' });
