import { type GroupLag, type Publisher, PublisherBusyError } from '@indelible/kafka';
import type { TopicName } from '@indelible/messages';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Topics of which a lag is told. */
const watched = ['commands.stamps', 'commands.collections', 'commands.files'] as const satisfies readonly TopicName[];

/**
 * Publishes commands while those who handle them keep up. Further ones are refused when more of the topic waits than the
 * bound, as of the last look: a service that stands still must not leave commands behind without end. Where no lag is
 * known nothing is refused: brokers that are away refuse by themselves.
 */
export function boundByLag(
  publisher: Pick<Publisher, 'publish'>,
  options: { readonly lag: Pick<GroupLag, 'of'>; readonly maxLag: number; readonly metrics: Registry },
): Pick<Publisher, 'publish'> {
  const { lag, maxLag, metrics } = options;
  const refused = new Counter({
    name: 'indelible_gateway_refused_commands_total',
    help: 'Commands refused because too many of their topic wait to be handled',
    labelNames: ['topic'],
    registers: [metrics],
  });
  new Gauge({
    name: 'indelible_gateway_command_lag_records',
    help: 'Records of commands not yet handled, as of the last look at their group',
    labelNames: ['topic'],
    registers: [metrics],
    collect() {
      this.reset();
      for (const topic of watched) {
        const behind = lag.of(topic);
        if (behind !== undefined) this.set({ topic }, behind);
      }
    },
  });
  return {
    /** @throws PublisherBusyError: nothing of it was sent; and what `publisher` throws */
    async publish(messages) {
      for (const topic of new Set(messages.map((message) => message.contract.topic))) {
        const behind = lag.of(topic) ?? 0;
        if (behind < maxLag) continue;
        refused.inc({ topic });
        throw new PublisherBusyError(behind);
      }
      await publisher.publish(messages);
    },
  };
}
