import { parseReplies, type Reply } from '@indelible/messages';
import type { Logger } from '@indelible/service-runtime';
import type { Redis } from 'ioredis';
import { closeRedis, createSubscriber } from '../create-redis.ts';
import { untilReady } from '../until-ready.ts';
import { channelOf } from './channel-of.ts';
import { createWaiters, type ReplyWaiter } from './waiters.ts';

export type ReplyReceiverOptions = {
  /** Its settings are used for a connection of the receiver's own. */
  redis: Redis;
  /** What this gateway instance is called in `replyTo`. */
  instanceId: string;
  keyPrefix: string;
  logger: Logger;
  /** Default 20,000. */
  maxWaiters?: number;
  /** Gets each reply, also one that nobody waits for any more. */
  onReply?: (reply: Reply) => void;
  /** Hands replies to those who wait; a block may bring thousands at once. Default: all at once. */
  inTurns?: (deliver: () => void) => void;
};

export type ReplyReceiver = {
  /** Resolves when it hears replies, or after a moment when Redis is away: it then begins to hear when Redis comes. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Whether replies are heard just now. What was said while they were not is lost. */
  connected(): boolean;
  /** To be called before the request is published. @throws TooManyWaitersError */
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
      // Nothing else would ask again while the connection stands.
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
