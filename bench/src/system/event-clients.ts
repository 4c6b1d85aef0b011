import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Hex } from '@indelible/identifiers';
import { eventNames } from '@indelible/public-events';
import type { Quantiles } from '../measuring/quantiles.ts';
import type { EventLog } from './event-log.ts';
import type { AccountSystem } from './open-accounts.ts';
import { startSideProcess } from './side-process.ts';

export type EventClientsSettings = {
  readonly rootUrl: string;
  readonly apiKey: string;
  /** Collections that have a stream each. */
  readonly streams: readonly Hex[];
  /** After which position of the account's log the streams begin. */
  readonly after: number;
};

/** What all clients of a kind together have had. */
export type Received = {
  readonly events: number;
  /** Events that did not follow the one before in their collection, or came twice. */
  readonly outOfOrder: number;
  /** The last sequence numbers of all collections, added up. */
  readonly sequences: number;
  readonly confirmed: number;
  /** Of confirmed stamps: from StampConfirmed's time to the arrival of its event. */
  readonly lateMs: Quantiles | null;
};
export type ClientsReading = { readonly streams: Received & { readonly ended: number }; readonly webhooks: Received };

export type EventClients = {
  /**
   * Resolves when all that was appended since they began has come, confirmations of so many stamps with it.
   * @throws Error when it has not in time, or not in order
   */
  untilAllCame(stamps: number, signal: AbortSignal): Promise<ClientsReading>;
  stop(): Promise<void>;
};

const cameWithinMs = 120_000;

/** Opens a stream of server-sent events for each collection, and an ordered webhook for each of others, in a process of its own. */
export async function openEventClients(
  { connection: { rootUrl, apiKey, userAddress } }: AccountSystem,
  log: Pick<EventLog, 'endOf'>,
  { streams, webhooks }: { readonly streams: readonly Hex[]; readonly webhooks: readonly Hex[] },
  signal: AbortSignal,
): Promise<EventClients> {
  const before = await log.endOf(userAddress, streams);
  const settings: EventClientsSettings = { rootUrl, apiKey, streams, after: before.position };
  const { url, stop } = await startSideProcess(join(import.meta.dirname, 'event-clients-process.ts'), settings, signal);
  const ask = async (method: string, path = '', body?: object): Promise<Response> => {
    const response = await fetch(`${rootUrl}/api/v1/webhooks${path}`, {
      method,
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal,
    });
    if (!response.ok) throw new Error(`${method} webhooks${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const ids: string[] = [];
  for (const collection of webhooks) {
    const wanted = { url: `${url}/${collection}`, types: [...eventNames], collections: [collection], ordered: true };
    ids.push(((await (await ask('POST', '', wanted)).json()) as { id: string }).id);
  }
  return {
    async untilAllCame(stamps, until) {
      for (const deadline = performance.now() + cameWithinMs; ; await delay(50, undefined, { signal: until })) {
        const reading = (await (await fetch(url, { signal: until })).json()) as ClientsReading;
        const { streams: streamed, webhooks: posted } = reading;
        if (streamed.outOfOrder + streamed.ended + posted.outOfOrder > 0)
          throw new Error(`no result: clients lost their order, or streams ended: ${JSON.stringify(reading)}`);
        const appended = (await log.endOf(userAddress, streams)).events - before.events;
        const ofWebhooks = (await log.endOf(userAddress, webhooks)).events;
        // A webhook begins at its creation, with whatever number: the last ones tell that it has had the end.
        const isWhole = streamed.events === appended && streamed.confirmed >= stamps;
        if (isWhole && posted.sequences === ofWebhooks) return reading;
        if (performance.now() > deadline)
          throw new Error(
            `no result: of ${appended} events of ${stamps} stamps clients had ${JSON.stringify(reading)}, webhooks until ${ofWebhooks}`,
          );
      }
    },
    async stop() {
      for (const id of ids) await ask('DELETE', `/${id}`);
      await stop();
    },
  };
}
