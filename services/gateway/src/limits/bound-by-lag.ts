import { type GroupLag, type Publisher, PublisherBusyError } from '@indelible/kafka';
import type { TopicName } from '@indelible/messages';
import { Counter, Gauge, type Registry } from 'prom-client';
import { createNewestCommands } from './newest-commands.ts';

/** Topics whose lag is reported. */
const watched = ['commands.stamps', 'commands.collections', 'commands.files'] as const satisfies readonly TopicName[];

/** The most of the newest commands that are compared. */
const mostCompared = 100_000;
/** From this many times the bound, every account is refused. */
const hardBound = 2;

/**
 * Publishes commands while their consumers keep up. While the last known lag of a topic is over the bound, an account
 * with an even share or more of the newest commands is refused: only the account that floods (I12). From twice the
 * bound, all are refused: a stalled service's backlog must be bounded. While the lag is unknown nothing is refused:
 * unreachable brokers fail by themselves.
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
  const newest = new Map(
    watched.map((topic) => [topic as TopicName, createNewestCommands(Math.min(maxLag, mostCompared))]),
  );

  /** @throws PublisherBusyError */
  function admit(topic: TopicName, account: string): void {
    const behind = lag.of(topic) ?? 0;
    if (behind < maxLag) return;
    if (behind < maxLag * hardBound && newest.get(topic)?.hasLittle(account) === true) return;
    refused.inc({ topic });
    throw new PublisherBusyError(behind);
  }

  return {
    /** Rejects with PublisherBusyError, and as `publisher` does. */
    publish(messages) {
      try {
        for (const { contract, data } of messages) admit(contract.topic, accountOf(data));
      } catch (error) {
        return Promise.reject(error as Error);
      }
      for (const { contract, data } of messages) newest.get(contract.topic)?.add(accountOf(data));
      return publisher.publish(messages);
    },
  };
}

/** Every command names its account. */
const accountOf = (data: object): string => ('account' in data ? String(data.account) : '');
