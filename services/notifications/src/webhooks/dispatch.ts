import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@indelible/postgres';
import type { EventOrigin } from '@indelible/public-events';
import { createOutageLog, type Logger, type Tracing } from '@indelible/service-runtime';
import { trackLength } from '../decisions/delivery-track.ts';
import type { Delivery } from '../decisions/next-delivery.ts';
import type { Attempted } from '../decisions/webhook-retries.ts';
import type { Webhook } from '../tables/webhook-row.ts';
import { type ReadLogRows, readLogRows } from '../use-cases/read-events.ts';
import type { Sealer } from '../webhook-requests/sealer.ts';
import type { WebhookClient } from '../webhook-requests/webhook-client.ts';
import { deliver, type Receiver } from './deliver.ts';
import { createFairTurns } from './fair-turns.ts';
import type { Lane } from './lane.ts';
import { createLaneSet } from './lane-set.ts';
import { fillLane, receiverOf } from './lane-source.ts';
import { urlOf } from './sealed-url.ts';
import { createSharedLog } from './shared-log.ts';
import { writeLanes } from './write-lanes.ts';

export type DispatchPorts = {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  /** Reads older parts of the log. */
  readonly readLog: ReadLogRows;
  readonly client: Pick<WebhookClient, 'send'>;
  readonly sealer: Pick<Sealer, 'open'>;
  readonly origin: EventOrigin;
  readonly tracing: Pick<Tracing, 'on' | 'begin'>;
  readonly logger: Logger;
  readonly now: () => number;
  readonly onDelivery: (
    webhookId: string,
    /** Undefined when it could not be unsealed. */
    url: string | undefined,
    outcome: 'delivered' | 'waiting' | 'failed',
    attempted: Attempted,
  ) => void;
  readonly onDisabled: (webhook: Webhook, url: string | undefined) => void;
};

/** Each has a connection and an event of a few KiB. */
const mostInFlight = 1_024;
/** Total events read ahead; above it only lanes without any get events, a few each. */
const mostHeld = 20_000;
const fewEvents = 8;
/** Lanes read for at once: the pool has connections for others. */
const mostReading = 4;
/** Per statement. */
const mostWritten = 200;
const tickMs = 50;
const writeEveryMs = 25;
const drainMs = 2_000;
const retryMs = 500;

/** Delivers to all webhooks as long as it runs. One process does at a time; if two do, events come twice. */
export function createDispatch(ports: DispatchPorts) {
  const { database, now, logger } = ports;
  const log = createSharedLog(readLogRows(database), ports.readLog);
  const lanes = createLaneSet({ database, now, log });
  const dirty = new Set<Lane>();
  const cut = new AbortController();
  const turns = createFairTurns({ most: mostInFlight, now, send });
  const outage = createOutageLog({ logger, waitingFor: 'Postgres, to deliver to webhooks (DATABASE_URL)' });

  async function send(lane: Lane, delivery: Delivery): Promise<void> {
    let attempted: Attempted | undefined;
    let receiver: Receiver | undefined;
    try {
      receiver = receiverOf(lane.webhook, ports.sealer, now());
      attempted = await deliver(ports, receiver, delivery.event, cut.signal);
    } catch (error) {
      if (!cut.signal.aborted) {
        logger.error({ err: error, webhookId: lane.webhook.webhookId }, 'Webhook request could not be made');
        const shown = { status: null, body: null, error: 'internal: the request could not be made', durationMs: 0 };
        attempted = { attempt: { at: new Date(now()).toISOString(), ...shown }, retryAfter: undefined };
      }
    }
    const status = lane.settle(delivery, attempted, now());
    dirty.add(lane);
    if (status !== undefined && attempted !== undefined)
      ports.onDelivery(lane.webhook.webhookId, receiver?.url, status, attempted);
  }

  function onDisabled({ webhook }: Lane): void {
    let url: string | undefined;
    try {
      url = urlOf(webhook, ports.sealer);
    } catch {
      // It is disabled all the same.
    }
    ports.onDisabled(webhook, url);
  }

  /** Reads ahead for every lane with room, a few at a time. */
  async function readAhead(): Promise<void> {
    let held = 0;
    for (const lane of lanes.all()) held += lane.held();
    const hungry = [...lanes.all()].filter((lane) => !lane.retired && isHungry(lane));
    const readNext = async (): Promise<void> => {
      for (let lane = hungry.shift(); lane !== undefined; lane = hungry.shift()) {
        const before = lane.held();
        if (held >= mostHeld && before > 0) continue;
        if (await fillLane(log.read, lane, held < mostHeld ? trackLength : fewEvents)) dirty.add(lane);
        held += lane.held() - before;
        turns.offer(lane);
      }
    };
    await Promise.all(Array.from({ length: mostReading }, readNext));
  }

  async function write(): Promise<void> {
    const some = [...dirty].slice(0, mostWritten);
    if (some.length === 0) return;
    for (const lane of some) dirty.delete(lane);
    try {
      await writeLanes({ ...ports, onDisabled }, some);
    } catch (error) {
      for (const lane of some) dirty.add(lane);
      throw error;
    }
    for (const lane of some) {
      if (lane.unwritten().length > 0) dirty.add(lane);
      turns.offer(lane);
    }
  }

  /** Repeats a step until the signal aborts; a Postgres fault only delays it. */
  async function repeat(step: () => Promise<void>, everyMs: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let pauseMs = everyMs;
      try {
        await step();
        outage.ended();
      } catch (error) {
        if (signal.aborted) return;
        outage.failed(error);
        pauseMs = retryMs;
      }
      await delay(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  const tend = async (): Promise<void> => {
    await lanes.tend();
    for (const lane of lanes.all()) {
      if (!lane.retired) turns.offer(lane);
      // Events put aside, in the table or in the log.
      if (lane.unwritten().length > 0 || lane.log.settledTo() !== lane.savedPosition) dirty.add(lane);
    }
  };

  return {
    hearGrown: lanes.hearGrown,
    hearChanged: lanes.hearChanged,
    lanes: lanes.all,
    async run(signal: AbortSignal): Promise<void> {
      const ended = [
        repeat(tend, tickMs, signal),
        repeat(readAhead, tickMs, signal),
        repeat(write, writeEveryMs, signal),
      ];
      await Promise.all(ended);
      // Lets requests in flight end, so that fewer events are sent again; aborts them after `drainMs`.
      const late = setTimeout(() => cut.abort(), drainMs);
      await turns.close();
      clearTimeout(late);
      await write().catch(() => {});
    },
  };
}

const isHungry = (lane: Lane): boolean => {
  const again = lane.redelivery();
  return (
    (!lane.atEnd.log && lane.wants(lane.log)) ||
    (again !== undefined && !lane.atEnd.redelivery && lane.wants(again.track)) ||
    lane.backlogsToRead().length > 0
  );
};
