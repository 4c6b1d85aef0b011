import { followHead, profileOf, type RpcClient } from '@indelible/ethereum';
import { createLeadership, type Database } from '@indelible/postgres';
import { type Component, type Logger, PermanentError, type Tracing } from '@indelible/service-runtime';
import type { Config } from '../config.ts';
import type { Telemetry } from '../telemetry.ts';
import { followChain } from './follow-chain.ts';
import type { StepOutcome } from './follow-step.ts';
import { createHeadSignal } from './head-signal.ts';
import { createHeadWatch } from './head-watch.ts';
import { createRpcChain, fetchedHeader } from './rpc-chain.ts';
import { createStore } from './store.ts';

/** Follows the chain while this replica leads; a standby is ready when it could. */
export function createFollower(
  config: Config,
  parts: {
    readonly database: Database;
    readonly rpc: RpcClient;
    readonly telemetry: Telemetry;
    readonly tracing: Tracing;
    readonly logger: Logger;
  },
): Component {
  const { database, rpc, telemetry, tracing, logger } = parts;
  const { chainId } = config;
  let head = Number.POSITIVE_INFINITY;
  let indexed = 0;
  let halted = false;
  const leadership = createLeadership({
    url: config.databaseUrl,
    name: `${database.schema}.follower.${chainId}`,
    logger,
    lead: async (_session, signal) => {
      const heads = createHeadSignal();
      const watch = createHeadWatch({
        logger,
        blockTimeMs: profileOf(chainId).blockTimeMs,
        hosts: () => rpc.endpoints().map(({ host }) => host),
        now: () => performance.now(),
      });
      const following = followHead({
        rpc,
        urls: config.rpcUrls,
        ...(config.wsUrls === undefined ? {} : { wsUrls: config.wsUrls }),
        pollIntervalMs: config.pollIntervalMs,
        watchdogMs: config.headSilenceMs,
        signal,
        logger,
        onHead: (announced) => {
          head = announced.number;
          const header = fetchedHeader(announced);
          telemetry.headAnnounced(header);
          watch.announced(header);
          heads.announce(header);
        },
      });
      const chain = createRpcChain({
        rpc,
        contract: config.contractAddress,
        timeoutMs: config.rpcTimeoutMs,
        signal,
        logger,
      });
      const store = createStore(database, chainId, tracing);
      const everySecond = setInterval(() => {
        watch.check();
        telemetry.headAge(watch.ageSeconds());
        // Requests to republish blocks may reach any replica.
        void store.run().then(
          (run) => run !== undefined && heads.wake(),
          () => undefined,
        );
      }, 1_000);
      signal.addEventListener('abort', () => clearInterval(everySecond), { once: true });
      const settings = { ...config, window: config.catchUpWindow };
      const checkChain = async (): Promise<void> => {
        const actual = await rpc.chainId();
        if (actual !== chainId) throw new PermanentError(`the node is of chain ${actual}, not ${chainId}`);
      };
      const ports = { chain, store, observer: telemetry.observer };
      const onStep = (outcome: StepOutcome): void => {
        indexed = outcome.cursor.number;
        halted = outcome.kind === 'halted';
        telemetry.stepDone(outcome);
      };
      const onFault = telemetry.followingFailed;
      await followChain({ ports, settings, heads, signal, logger, checkChain, onStep, onFault });
      await following.done;
      telemetry.leadLost();
    },
  });
  return {
    ...leadership,
    name: `follower of chain ${chainId}`,
    ready: () => !leadership.leading() || (!halted && head - indexed <= config.readyLagBlocks),
  };
}
