import { parseReplies, type Reply } from '@indelible/messages';
import type { Logger } from '@indelible/service-runtime';
import type { Redis } from 'ioredis';
import { closeRedis, createSubscriber } from '../create-redis.ts';
import { untilReady } from '../until-ready.ts';
import { channelOf } from './channel-of.ts';
import { createWaiters, type ReplyWaiter } from './waiters.ts';

export type ReplyReceiverOptions = {
  /** Its settings are used for a separate connection. */
  redis: Redis;
  /** This gateway instance's name in `replyTo`. */
  instanceId: string;
  keyPrefix: string;
  logger: Logger;
  /** Default 20,000. */
  maxWaiters?: number;
  /** Gets each reply, even if nobody waits for it any more. */
  onReply?: (reply: Reply) => void;
  /** Delivers replies to waiters; a block may bring thousands. Default: all at once. */
  inTurns?: (deliver: () => void) => void;
};

export type ReplyReceiver = {
  /** Resolves when it is subscribed, or after a moment without Redis: it then subscribes when Redis is back. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Whether it is subscribed now. Replies sent while it was not are lost. */
  connected(): boolean;
  /** Call it before the request is published. @throws TooManyWaitersError */
  wait(requestId: string): ReplyWaiter;
};

const startPatienceMs = 1000;

export const createReplyReceiver = (options: ReplyReceiverOptions): ReplyReceiver => {
  const { logger, inTurns = (deliver) => deliver() } = options;
  const channel = channelOf(options.keyPrefix, options.instanceId);
  const waiters = createWaiters(options.maxWaiters ?? 20_000);
  let subscriber: Redis | undefined;
  let subscribed = false;

  const subscribe = async (connection: Redis): Promise<void> => {
    try {
      await connection.subscribe(channel);
      subscribed = true;
    } catch (error) {
      logger.debug({ err: error }, 'Not subscribed to replies');
      // Nothing else would retry on an open connection.
      if (connection.status === 'ready') connection.disconnect(true);
    }
  };

  return {
    async start() {
      const connection = createSubscriber(options.redis, { name: 'replies' });
      subscriber = connection;
      connection.on('close', () => {
        subscribed = false;
      });
      connection.on('message', (_, payload: string) => {
        for (const reply of parseReplies(payload)) {
          options.onReply?.(reply);
          inTurns(() => waiters.deliver(reply));
        }
      });
      const first = Promise.withResolvers<void>();
      connection.on('ready', () => void subscribe(connection).then(first.resolve));
      if (await untilReady(connection, startPatienceMs)) await first.promise;
    },
    async stop() {
      waiters.stop();
      subscribed = false;
      if (subscriber !== undefined) await closeRedis(subscriber);
    },
    connected: () => subscribed,
    wait: waiters.wait,
  };
};
