import type { ReplySender } from '@indelible/redis';

/** @param replied gets how many replies were sent, and how long it took, in seconds */
export const timeReplies = (sender: ReplySender, replied: (replies: number, seconds: number) => void): ReplySender => ({
  async send(replies) {
    const began = performance.now();
    await sender.send(replies);
    replied(replies.length, (performance.now() - began) / 1_000);
  },
});
