export type { AddressedReply, Reply } from './reply.ts';
export { createReplyReceiver, type ReplyReceiver, type ReplyReceiverOptions } from './reply-receiver.ts';
export { createReplySender, type ReplySender, type ReplySenderOptions } from './reply-sender.ts';
export { ReceiverStoppedError, type ReplyWaiter, TooManyWaitersError } from './waiters.ts';
