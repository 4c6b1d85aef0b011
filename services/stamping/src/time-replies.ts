import type { ReplySender } from '@indelible/redis';

/** @param replied gets the number of replies sent, and the duration, in seconds */
export const timeReplies = (sender: ReplySender, replied: (replies: number, seconds: number) => void): ReplySender => ({
  async send(replies) {
    const began = performance.now();
    await sender.send(replies);
    replied(replies.length, (performance.now() - began) / 1_000);
  },
});
