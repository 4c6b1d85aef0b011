import { once } from 'node:events';
import type { Hex } from '@indelible/identifiers';
import { BrokerUnavailableError, createMessageBus, rootOf, type TailedRecord } from '@indelible/kafka';
import { createLogger } from '@indelible/service-runtime';
import type { CommandContext } from '../context.ts';

/** Omitted fields match all. */
export type WantedEvents = {
  /** Lower case, as in keys. */
  readonly account?: Hex;
  readonly setCid?: Hex;
  /** In any case. */
  readonly collectionName?: string;
  /** Names such as `stamp.confirmed`. */
  readonly types?: ReadonlySet<string>;
};

/** Prints public events as they come, until a signal, or the reader of the output leaves. */
export async function tailEvents(
  context: CommandContext,
  options: { readonly from: 'beginning' | 'end' | Date; readonly json: boolean; readonly wanted: WantedEvents },
): Promise<void> {
  const settings = context.config.broker();
  const topic = context.config.publicTopic();
  const bus = createMessageBus({
    ...settings,
    clientId: 'indelible-cli',
    source: 'indelible/cli',
    logger: createLogger({ service: 'cli', level: 'silent' }),
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  const stop = (): void => stopping.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  // Such as `| head`, which leaves when it has enough.
  process.stdout.once('error', stop);
  try {
    await bus.tailRecords({
      topic,
      from: options.from,
      signal,
      async onRecord(record) {
        const data = JSON.parse(record.value) as Record<string, unknown>;
        if (!isWanted(record, data, options.wanted)) return;
        context.out(options.json ? jsonOf(record, data) : lineOf(record, data));
        // Waits for a slow reader, so that nothing piles up.
        if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain', { signal }).catch(stop);
      },
    });
  } catch (error) {
    const root = rootOf(error);
    if (!(error instanceof BrokerUnavailableError) && !root.name.startsWith('KafkaJS')) throw error;
    const brokers = settings.brokers.join(', ');
    throw new Error(
      `Kafka at ${brokers} (KAFKA_BROKERS), topic ${topic}, failed or cannot be reached: ${root.message}`,
      {
        cause: error,
      },
    );
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    process.stdout.off('error', stop);
  }
}

const nameOf = ({ headers }: TailedRecord): string => headers.ce_type?.replace(/^com\.indelible\.|\.v\d+$/g, '') ?? '';

function isWanted(record: TailedRecord, data: Record<string, unknown>, wanted: WantedEvents): boolean {
  const { account, setCid, collectionName, types } = wanted;
  const [owner, set] = record.key.split('/');
  const name = typeof data.collection_name === 'string' ? data.collection_name.toLowerCase() : undefined;
  return (
    (account === undefined || owner === account) &&
    (setCid === undefined || set === setCid) &&
    (collectionName === undefined || name === collectionName.toLowerCase()) &&
    (types === undefined || types.has(nameOf(record)))
  );
}

/** In CloudEvents' JSON format. */
function jsonOf({ headers }: TailedRecord, data: Record<string, unknown>): string {
  const attributes = Object.entries(headers).flatMap(([name, text]) =>
    name.startsWith('ce_') ? [[name.slice(3), text]] : name === 'traceparent' ? [[name, text]] : [],
  );
  return JSON.stringify({ ...Object.fromEntries(attributes), datacontenttype: headers['content-type'], data });
}

/** Time, type and subject; then the owner and the place in its collection. */
function lineOf(record: TailedRecord, data: Record<string, unknown>): string {
  const { headers } = record;
  const of = [
    data.user_address,
    data.collection_name ?? data.set_cid,
    data.client_ref,
    headers.ce_sequence === undefined ? undefined : `#${headers.ce_sequence}`,
  ];
  const shown = of.flatMap((part) => (typeof part === 'string' ? [part] : []));
  return [headers.ce_time, nameOf(record), headers.ce_subject, ...shown].join('  ');
}
