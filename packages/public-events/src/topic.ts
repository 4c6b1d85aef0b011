/** The public topic, without its prefix. */
export const publicTopicName = 'stamps.v1';

/** Before it, unless PUBLIC_TOPIC_PREFIX says otherwise. */
export const publicTopicPrefix = 'indelible.';
