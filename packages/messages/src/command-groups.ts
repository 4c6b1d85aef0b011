/**
 * The consumer group that handles each topic of commands: publishers limit its lag. One group per topic, so that the
 * commands of one never wait for those of another. A group without offsets begins with the oldest command kept, and the
 * inbox (30 days, shared by all groups of stamping) knows what other groups have handled.
 */
export const commandGroups = {
  'commands.stamps': 'stamping.requests',
  'commands.collections': 'stamping.collections',
  'commands.files': 'storage-uploads',
} as const;
