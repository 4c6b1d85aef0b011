import type { Hex } from '@indelible/identifiers';
import { createIdentityLocks, createReplyReceiver, type Redis } from '@indelible/redis';
import { createTurns, type Logger } from '@indelible/service-runtime';
import { Gauge, type Registry } from 'prom-client';
import type { Config } from '../../config.ts';
import type { Neighbours } from '../../neighbours/create-neighbours.ts';
import { createStatusPoller } from '../stamping/status-poller.ts';
import { createWaitingRoom } from '../stamping/waiting-room.ts';

/** Responses begun in one turn of the event loop: those of a block must not delay other requests. */
const answersATurn = 64;

/**
 * How outcomes of commands are found, by reply or status, and shared by identity locks; and the limit of waits for
 * them.
 */
export function createOutcomes(
  config: Pick<Config, 'maxWaiting' | 'maxBatchWindow' | 'waitLimitMs' | 'topicPrefix'>,
  ports: {
    readonly instanceId: string;
    readonly redis: Redis;
    readonly neighbours: Pick<Neighbours, 'findFacts' | 'findFiles'>;
    /** Gets the account of each confirmed stamp. */
    readonly onConfirmed: (account: Hex) => void;
    readonly logger: Logger;
    readonly metrics: Registry;
  },
) {
  const { instanceId, redis, neighbours, logger, metrics } = ports;
  const keyPrefix = config.topicPrefix;
  const replies = createReplyReceiver({
    redis,
    instanceId,
    keyPrefix,
    logger,
    maxWaiters: config.maxWaiting + config.maxBatchWindow,
    // Also of replies that no request waits for.
    onReply: (reply) => {
      if (reply.kind === 'confirmed') ports.onConfirmed(reply.receipt.account);
    },
    inTurns: createTurns(answersATurn),
  });
  // A lock outlives every wait; a dead process's lock is taken over within seconds.
  const locks = createIdentityLocks({ redis, keyPrefix, logger, ttlMs: config.waitLimitMs + 5_000 });
  const poller = createStatusPoller({
    findFacts: neighbours.findFacts,
    findFiles: neighbours.findFiles,
    repliesArrive: replies.connected,
    logger,
  });
  const waitingRoom = createWaitingRoom(config);
  new Gauge({
    name: 'indelible_gateway_waiting_requests',
    help: 'Requests that wait for an outcome',
    registers: [metrics],
    collect() {
      this.set(waitingRoom.size());
    },
  });
  return { replies, locks, poller, waitingRoom };
}

export type Outcomes = ReturnType<typeof createOutcomes>;
