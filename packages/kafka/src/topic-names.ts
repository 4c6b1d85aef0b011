import { type TopicName, topics } from '@indelible/messages';

const deadLetterSuffix = '.dead-letter';

/** The dead-letter topic of a topic. */
export const deadLetterTopicOf = (topic: TopicName): string => `${topic}${deadLetterSuffix}`;

const isTopicName = (name: string): name is TopicName => Object.hasOwn(topics, name);

/** Full topic names: with a prefix in tests, so that test files do not collide. */
export const createTopicNames = (prefix: string) => ({
  full: (topic: TopicName): string => `${prefix}${topic}`,
  deadLetter: (topic: TopicName): string => `${prefix}${deadLetterTopicOf(topic)}`,
  group: (groupId: string): string => `${prefix}${groupId}`,
  /** The topic's own name. */
  plain(full: string): TopicName {
    const name = full.slice(prefix.length);
    if (!full.startsWith(prefix) || !isTopicName(name)) throw new Error(`${full} is not a topic of this service`);
    return name;
  },
});

export type TopicNames = ReturnType<typeof createTopicNames>;
