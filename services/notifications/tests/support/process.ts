import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { FailpointName } from '@indelible/service-runtime';
import type { Config } from '../../src/config.ts';

const entry = resolve(import.meta.dirname, '../../src/main.ts');

/** The service as a separate process, with an optional failpoint. */
export function startProcess(config: Config, failpoint?: FailpointName) {
  const child: ChildProcess = spawn(process.execPath, [entry], {
    env: {
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: config.databaseUrl,
      KAFKA_BROKERS: config.kafkaBrokers.join(','),
      SCHEMA_REGISTRY_URL: config.schemaRegistryUrl,
      TOPIC_PREFIX: config.topicPrefix,
      PUBLIC_TOPIC_PREFIX: config.publicTopicPrefix,
      KAFKA_SESSION_TIMEOUT_MS: String(config.kafkaSessionTimeoutMs),
      CONTRACT_ADDRESS: config.contractAddress,
      WEBHOOK_SEALING_KEYS: config.webhookSealingKeys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(','),
      WEBHOOK_ALLOW_LOOPBACK_HTTP: String(config.webhookAllowLoopbackHttp),
      INTERNAL_PORT: '0',
      LOG_LEVEL: 'error',
      ...(failpoint === undefined ? {} : { FAILPOINTS: `${failpoint}=kill` }),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  return {
    /** Resolves with the signal that ended it. */
    died: async () => (await ended)[1],
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
