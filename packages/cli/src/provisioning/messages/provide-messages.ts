import type { MessageBus, ProvisionOptions, ProvisionReport } from '@indelible/kafka';
import { type PublicTopicSettings, publicSchemas, publicTopicOf } from '@indelible/public-events';

/** Topics and schemas of all services, and the public topic with those of its events. */
export const provideMessages = (
  bus: Pick<MessageBus, 'provision'>,
  { prefix, ...settings }: PublicTopicSettings,
  options: Pick<ProvisionOptions, 'replicationFactor' | 'minInSyncReplicas' | 'dryRun'> = {},
): Promise<ProvisionReport> =>
  bus.provision({
    ...options,
    publicTopics: [{ name: publicTopicOf(prefix), ...settings }],
    publicSubjects: publicSchemas,
  });
