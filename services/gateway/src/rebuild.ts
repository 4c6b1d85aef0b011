import { createTopicSource, type Rebuildable, rebuildCommand } from '@indelible/event-store';
import { brokerOf, createMessageBus } from '@indelible/kafka';
import type { Logger } from '@indelible/service-runtime';
import { type RebuildConfig, readRebuildConfig } from './config.ts';
import { collectionsProjection } from './projections/rebuildable.ts';

/** The gateway's read model, rebuilt from its topic. */
export function rebuildables(logger: Logger, readConfig: () => RebuildConfig): readonly Rebuildable[] {
  return [
    {
      projection: collectionsProjection,
      sources: {
        topics() {
          const config = readConfig();
          const bus = createMessageBus({
            ...brokerOf(config),
            clientId: 'gateway-rebuild',
            source: 'indelible/gateway',
            logger,
          });
          return {
            url: config.databaseUrl,
            source: (ports) => createTopicSource({ ...ports, bus, projection: collectionsProjection }),
          };
        },
      },
    },
  ];
}

if (import.meta.main)
  process.exitCode = await rebuildCommand({
    words: process.argv.slice(2),
    rebuildables: (logger) => rebuildables(logger, () => readRebuildConfig(process.env)),
  });
