import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { TopicName } from '@indelible/messages';
import { settlesWithin } from '@indelible/service-runtime';
import type { BatchContext, Handle } from './batch-runner.ts';
import type { IncomingMessage } from './message.ts';

type Call = {
  readonly batch: readonly IncomingMessage[];
  readonly context: BatchContext;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Merges messages that arrive from a topic's partitions at the same time into one batch: those that wait while a batch
 * is handled share the next, so that load needs few transactions, and single messages do not wait. Each partition's
 * order is kept. When a merged batch fails, each partition's part is handled alone, with its own outcome; what failed
 * before is never merged.
 * @param limits a batch is closed when it has as many messages; others wait for a running batch at most `patienceMs`; a
 * batch that is not full waits `lingerMs` for more
 */
export function mergePartitions(
  handle: Handle,
  limits: { maxMessages?: number; patienceMs?: number; lingerMs?: number } = {},
): Handle {
  const { maxMessages = 2_000, patienceMs = 1_000, lingerMs = 0 } = limits;
  const waiting = new Map<TopicName, Call[]>();
  const running = new Set<TopicName>();

  async function handleOne({ batch, context, resolve, reject }: Call): Promise<void> {
    try {
      await handle(batch, context);
      resolve();
    } catch (error) {
      reject(error);
    }
  }

  async function handleAll(calls: readonly Call[]): Promise<void> {
    const [first] = calls;
    if (first === undefined) return;
    if (calls.length === 1) return handleOne(first);
    const all: BatchContext = {
      ...first.context,
      signal: AbortSignal.any(calls.map((call) => call.context.signal)),
      heartbeat: async () => void (await Promise.all(calls.map((call) => call.context.heartbeat()))),
    };
    try {
      await handle(
        calls.flatMap((call) => call.batch),
        all,
      );
      for (const call of calls) call.resolve();
    } catch {
      await Promise.all(calls.map(handleOne));
    }
  }

  async function work(topic: TopicName): Promise<void> {
    running.add(topic);
    // Messages of one fetch arrive in one turn: all go together.
    await turn();
    while ((waiting.get(topic) ?? []).length > 0) {
      if (lingerMs > 0 && !isFull(topic)) await delay(lingerMs);
      await settlesWithin(patienceMs, handleAll(take(topic)));
    }
    running.delete(topic);
  }

  const isFull = (topic: TopicName): boolean =>
    (waiting.get(topic) ?? []).reduce((messages, { batch }) => messages + batch.length, 0) >= maxMessages;

  function take(topic: TopicName): Call[] {
    const calls = waiting.get(topic) ?? [];
    let messages = 0;
    let count = 0;
    while (count < calls.length && messages < maxMessages) messages += calls[count++]?.batch.length ?? 0;
    return calls.splice(0, count);
  }

  return (batch, context) => {
    if (context.alone) return handle(batch, context);
    return new Promise((resolve, reject) => {
      const { topic } = context;
      const calls = waiting.get(topic) ?? [];
      waiting.set(topic, calls);
      calls.push({ batch, context, resolve, reject });
      if (!running.has(topic)) void work(topic);
    });
  };
}
