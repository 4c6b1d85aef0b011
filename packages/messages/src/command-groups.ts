/**
 * The consumer group that handles each topic of commands: how far it is behind is what a publisher bounds. One group a topic, so
 * that the commands of one never wait for those of another. A group that has no offsets yet begins with the oldest command kept,
 * and the inbox (30 days, one for all groups of stamping) knows what was handled under another group's name.
 */
export const commandGroups = {
  'commands.stamps': 'stamping.requests',
  'commands.collections': 'stamping.collections',
  'commands.files': 'storage-uploads',
} as const;
