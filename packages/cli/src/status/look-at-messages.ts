import { createMessageBus } from '@indelible/kafka';
import { commandGroups, type TopicName } from '@indelible/messages';
import { createLogger } from '@indelible/service-runtime';
import type { BrokerSettings } from '../config.ts';
import type { Finding } from './finding.ts';

/** The topics of each consumer group, as the services' READMEs have them. */
const topicsOf: Readonly<Record<string, readonly TopicName[]>> = {
  gateway: ['events.collections'],
  [commandGroups['commands.stamps']]: ['commands.stamps'],
  [commandGroups['commands.collections']]: ['commands.collections'],
  'stamping.facts': ['events.accounts', 'events.chain'],
  storage: ['events.stamps'],
  [commandGroups['commands.files']]: ['commands.files'],
  verification: ['events.chain', 'events.collections'],
  notifications: ['events.stamps', 'events.files', 'events.collections', 'events.accounts'],
};

/** How far the consumers are behind, and what they have set aside. */
export async function lookAtMessages(settings: BrokerSettings, mostLag: number): Promise<readonly Finding[]> {
  const bus = createMessageBus({
    ...settings,
    clientId: 'indelible-command',
    source: 'indelible/cli',
    logger: createLogger({ service: 'cli', level: 'silent' }),
  });
  const letters = new Map<TopicName, number>();
  const findings: Finding[] = [];
  for (const [group, topics] of Object.entries(topicsOf)) {
    const progress = await bus.readGroupProgress(Object.fromEntries(topics.map((topic) => [topic, group])));
    const lags = [...progress].map(([topic, { partitions, deadLetters }]) => {
      letters.set(topic, deadLetters);
      return { topic, lag: Number(partitions.reduce((sum, { end, handled }) => sum + end - handled, 0n)) };
    });
    const behind = lags.filter(({ lag }) => lag > 0).map(({ topic, lag }) => `${lag} of ${topic}`);
    findings.push({
      name: `consumer ${group}`,
      ok: lags.every(({ lag }) => lag <= mostLag),
      text: behind.length === 0 ? 'has handled all messages' : `has to handle ${behind.join(', ')}`,
      data: { group, lags },
    });
  }
  const counts = [...letters].filter(([, count]) => count > 0);
  findings.push({
    name: 'dead letters',
    ok: counts.length === 0,
    text: counts.length === 0 ? 'none' : counts.map(([topic, count]) => `${count} of ${topic}`).join(', '),
    data: Object.fromEntries(letters),
  });
  return findings;
}
