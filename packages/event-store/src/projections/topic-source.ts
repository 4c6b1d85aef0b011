import type { BatchContext, IncomingMessage, MessageBus } from '@indelible/kafka';
import type { Client, Database } from '@indelible/postgres';
import { lookAhead, noteInInbox, noteInLedger } from './ledger.ts';
import { type Projection, RebuildError, type Schemas } from './projection.ts';
import type { Source } from './source.ts';

/** How long an outage may last before the rebuild is given up. */
const patienceMs = 60_000;

/** Fills a shadow with the messages of the projection's topics, from their beginning. */
export function createTopicSource(options: {
  readonly bus: Pick<MessageBus, 'createTopicReader'>;
  readonly projection: Projection;
  readonly schemas: Schemas;
  /** Whose sessions see the shadow. */
  readonly shadow: Pick<Database, 'transaction'>;
  readonly signal: AbortSignal;
}): Source {
  const { projection, schemas } = options;
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  const applying = new Set<Promise<unknown>>();
  /** Pauses applying during a swap: the inbox would miss later messages. */
  let held: PromiseWithResolvers<void> | undefined;
  let failingSince: number | undefined;
  let unseenFrom = '0';

  const resume = (): void => {
    held?.resolve();
    held = undefined;
  };

  async function handle(
    batch: readonly IncomingMessage[],
    { signal: given }: Pick<BatchContext, 'signal'>,
  ): Promise<void> {
    while (held !== undefined) await Promise.race([held.promise, aborted(given)]);
    const work = apply(batch);
    applying.add(work);
    try {
      await work;
    } finally {
      applying.delete(work);
    }
  }

  async function apply(batch: readonly IncomingMessage[]): Promise<void> {
    try {
      await options.shadow.transaction(async (client) => {
        const fresh = await noteInLedger(client, batch);
        if (fresh.length > 0) await projection.apply(client, fresh);
      });
      failingSince = undefined;
    } catch (error) {
      failingSince ??= performance.now();
      if (performance.now() - failingSince > patienceMs)
        failed.abort(
          new RebuildError(`messages could not be applied: ${String(error)}`, { cause: error, retryable: true }),
        );
      throw error;
    }
  }

  const reader = options.bus.createTopicReader({
    name: `rebuild.${projection.name}`,
    contracts: projection.contracts,
    concurrency: 4,
    handle,
  });
  return {
    start: reader.start,
    catchUp: () => reader.catchUp(signal),
    async prepareSwap(client: Client) {
      unseenFrom = await lookAhead(client, projection, schemas);
    },
    async settle(_client, limit) {
      // The live projection cannot have applied anything after these ends.
      await reader.catchUp(AbortSignal.any([signal, limit]));
      held ??= Promise.withResolvers();
      await Promise.allSettled(applying);
      return true;
    },
    handOver: (client) => noteInInbox(client, projection, schemas, unseenFrom),
    resume,
    progress() {
      const { handled, left, leftOut } = reader.progress();
      return { unit: 'messages', done: handled, left, leftOut };
    },
    stop: reader.stop,
  };
}

/** Rejects with the signal's reason when it aborts. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
