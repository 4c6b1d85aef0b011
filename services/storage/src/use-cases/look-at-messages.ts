import type { MessageBus } from '@indelible/kafka';
import { commandGroups } from '@indelible/messages';
import type { Look } from '../decisions/follow-messages.ts';
import { consumerName } from './record-stamps.ts';

/**
 * The group that must have handled a topic before all content named in it is claimed: stamping's events follow its
 * commands.
 */
const groups = {
  'commands.stamps': commandGroups['commands.stamps'],
  'commands.files': commandGroups['commands.files'],
  'events.stamps': consumerName,
} as const;

/** @throws when the brokers do not respond: progress is then unknown */
export async function lookAtNamingMessages(bus: Pick<MessageBus, 'readGroupProgress'>): Promise<Look> {
  const at = Date.now();
  const progress = await bus.readGroupProgress(groups);
  const of = (topic: keyof typeof groups) => progress.get(topic)?.partitions ?? [];
  return {
    at,
    commands: [of('commands.stamps'), of('commands.files')],
    events: of('events.stamps'),
    deadLetters: [...progress.values()].some(({ deadLetters }) => deadLetters > 0),
  };
}
