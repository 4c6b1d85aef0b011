export { Redis } from 'ioredis';
export { boundedOr } from './bounded.ts';
export {
  type CreateRedisOptions,
  closeRedis,
  createRedis,
  createSubscriber,
  defaultCommandTimeoutMs,
} from './create-redis.ts';
export type { Followed, Follower } from './identity-locks/follower.ts';
export { createIdentityLocks, type IdentityLocks, type IdentityLocksOptions } from './identity-locks/identity-locks.ts';
export { createReplyReceiver, type ReplyReceiver, type ReplyReceiverOptions } from './replies/reply-receiver.ts';
export { createReplySender, type ReplySender, type ReplySenderOptions } from './replies/reply-sender.ts';
export { ReceiverStoppedError, type ReplyWaiter, TooManyWaitersError } from './replies/waiters.ts';
export { untilReady } from './until-ready.ts';
