import type { AddressedReply } from '@indelible/messages';
import type { Logger } from '@indelible/service-runtime';
import type { Redis } from 'ioredis';
import { boundedOr } from '../bounded.ts';
import { defaultCommandTimeoutMs } from '../create-redis.ts';
import { channelOf } from './channel-of.ts';
import { chunkReplies } from './chunks.ts';

export type ReplySenderOptions = {
  redis: Redis;
  keyPrefix: string;
  logger: Logger;
  /** `lost`: no receiver is known; their gateways query the status instead. */
  onEvent?: (event: { kind: 'sent' | 'lost'; count: number }) => void;
};

export type ReplySender = {
  /** Notifies the gateway instances; never rejects, and takes at most about 250 ms. */
  send(replies: readonly AddressedReply[]): Promise<void>;
};

const maxMessageBytes = 256 * 1024;

export const createReplySender = ({ redis, keyPrefix, logger, onEvent }: ReplySenderOptions): ReplySender => ({
  async send(replies) {
    if (replies.length === 0) return;
    let sent = 0;
    const publishing = chunkReplies(replies, maxMessageBytes).map(async ({ replyTo, payload, count }) => {
      const publish = redis.publish(channelOf(keyPrefix, replyTo), payload);
      const receivers = await boundedOr(publish, 0, defaultCommandTimeoutMs);
      if (receivers > 0) sent += count;
    });
    await Promise.all(publishing);
    const lost = replies.length - sent;
    if (sent > 0) onEvent?.({ kind: 'sent', count: sent });
    if (lost === 0) return;
    onEvent?.({ kind: 'lost', count: lost });
    logger.debug({ lost }, 'Replies reached nobody');
  },
});
