/** The consumer group that handles each topic of commands: how far it is behind is what a publisher bounds. */
export const commandGroups = {
  'commands.stamps': 'stamping.requests',
  'commands.collections': 'stamping.requests',
  'commands.files': 'storage-uploads',
} as const;
