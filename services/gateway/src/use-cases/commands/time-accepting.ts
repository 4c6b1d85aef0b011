import type { Publisher } from '@indelible/kafka';
import type { Observe } from '@indelible/service-runtime';

/** Publishes, and measures the time since each stamp request arrived; batch lines with the same time count together. */
export const timeAccepting = (
  publisher: Pick<Publisher, 'publish'>,
  accepted: Observe,
): Pick<Publisher, 'publish'> => ({
  async publish(messages) {
    await publisher.publish(messages);
    const now = Date.now();
    const [first] = messages;
    if (first !== undefined && messages.length === 1) {
      if (first.contract.type === 'RequestStamp') accepted((now - Date.parse(first.time)) / 1_000, 1);
      return;
    }
    const counts = new Map<string, number>();
    for (const { contract, time } of messages)
      if (contract.type === 'RequestStamp') counts.set(time, (counts.get(time) ?? 0) + 1);
    for (const [time, count] of counts) accepted((now - Date.parse(time)) / 1_000, count);
  },
});
