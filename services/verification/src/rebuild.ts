import { createRpc } from '@indelible/ethereum';
import {
  createTopicSource,
  type Projection,
  type Rebuildable,
  RebuildError,
  type RebuildOptions,
  rebuildCommand,
} from '@indelible/event-store';
import { brokerOf, createMessageBus } from '@indelible/kafka';
import type { Logger } from '@indelible/service-runtime';
import { type ChainRebuildConfig, type RebuildConfig, readChainRebuildConfig, readRebuildConfig } from './config.ts';
import { collectionsProjection, commitmentsProjection } from './projections/rebuildable.ts';
import { createChainBlocks } from './rebuilding/chain-blocks.ts';
import { createChainSource } from './rebuilding/chain-source.ts';

/** Loads a rebuild's settings. Both throw ConfigurationError. */
export type RebuildConfigs = { readonly topics: () => RebuildConfig; readonly chain: () => ChainRebuildConfig };

/** The read models of verification, each rebuilt from its topics; the commitments also from the chain alone. */
export function rebuildables(logger: Logger, configs: RebuildConfigs): readonly Rebuildable[] {
  const fromTopics = (projection: Projection) => () => {
    const config = configs.topics();
    const bus = createMessageBus({
      ...brokerOf(config),
      clientId: 'verification-rebuild',
      source: 'indelible/verification',
      logger,
    });
    const source: RebuildOptions['source'] = (ports) => createTopicSource({ ...ports, bus, projection });
    return { url: config.databaseUrl, source };
  };
  return [
    {
      projection: commitmentsProjection,
      sources: { topics: fromTopics(commitmentsProjection), chain: () => fromChain(configs.chain(), logger) },
    },
    { projection: collectionsProjection, sources: { topics: fromTopics(collectionsProjection) } },
  ];
}

function fromChain(config: ChainRebuildConfig, logger: Logger): { url: string; source: RebuildOptions['source'] } {
  const { chainId, startBlock } = config;
  return {
    url: config.databaseUrl,
    source(ports) {
      const rpc = createRpc({ urls: config.rpcUrls, timeoutMs: config.rpcTimeoutMs, chainId, logger });
      const blocks = createChainBlocks({
        rpc,
        chainId,
        contract: config.contractAddress,
        timeoutMs: config.rpcTimeoutMs,
        signal: ports.signal,
      });
      const source = createChainSource({ ...ports, blocks, chainId, startBlock });
      return {
        ...source,
        async start() {
          const actual = await rpc.chainId();
          if (actual !== chainId)
            throw new RebuildError(`the node is of chain ${actual}, not ${chainId}`, { retryable: false });
          await source.start();
        },
        async stop() {
          await source.stop();
          rpc.close();
        },
      };
    },
  };
}

if (import.meta.main)
  process.exitCode = await rebuildCommand({
    words: process.argv.slice(2),
    rebuildables: (logger) =>
      rebuildables(logger, {
        topics: () => readRebuildConfig(process.env),
        chain: () => readChainRebuildConfig(process.env),
      }),
  });
