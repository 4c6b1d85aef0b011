import { commandGroups } from './command-groups.ts';
import type { TopicName } from './contract.ts';

/** Every consumer group of the services, with the topics that it handles: after a restore of the databases all are rewound. */
export const consumerGroups = {
  gateway: ['events.collections'],
  [commandGroups['commands.stamps']]: ['commands.stamps'],
  [commandGroups['commands.collections']]: ['commands.collections'],
  'stamping.facts': ['events.accounts', 'events.chain'],
  storage: ['events.stamps'],
  [commandGroups['commands.files']]: ['commands.files'],
  verification: ['events.chain', 'events.collections'],
  notifications: ['events.stamps', 'events.files', 'events.collections', 'events.accounts'],
} as const satisfies Readonly<Record<string, readonly TopicName[]>>;
