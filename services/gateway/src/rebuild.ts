import { brokerOf, createMessageBus } from '@indelible/kafka';
import { createTopicSource, type Projection, type Rebuildable, rebuildCommand } from '@indelible/projections';
import type { Logger } from '@indelible/service-runtime';
import { type RebuildConfig, readRebuildConfig } from './config.ts';
import { collectionsProjection, stampsProjection } from './projections/rebuildable.ts';

/** The gateway's read models, each made anew of its topics. */
export function rebuildables(logger: Logger, readConfig: () => RebuildConfig): readonly Rebuildable[] {
  return [stampsProjection, collectionsProjection].map((projection: Projection) => ({
    projection,
    sources: {
      topics() {
        const config = readConfig();
        const bus = createMessageBus({
          ...brokerOf(config),
          clientId: 'gateway-rebuild',
          source: 'indelible/gateway',
          logger,
        });
        return { url: config.databaseUrl, source: (ports) => createTopicSource({ ...ports, bus, projection }) };
      },
    },
  }));
}

if (import.meta.main)
  process.exitCode = await rebuildCommand({
    words: process.argv.slice(2),
    rebuildables: (logger) => rebuildables(logger, () => readRebuildConfig(process.env)),
  });
