import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { createMessageBus } from '@indelible/kafka';
import { publicTopicOf } from '@indelible/public-events';
import { eventually, fixedPort } from '@indelible/testing';
import { expect } from '@jest/globals';
import type { Config } from '../src/config.ts';
import { logger } from './gateway-harness.ts';

const inService = (script: string): string => resolve(import.meta.dirname, '../../notifications/src', script);

export type NotificationsProcess = ReturnType<typeof createNotifications>;

/**
 * The service that stores the log of public events, as a process that can be started, killed and restarted. `kill` also
 * ends it when its start failed.
 */
export function createNotifications(config: Config) {
  const bus = createMessageBus({
    brokers: config.kafkaBrokers,
    schemaRegistryUrl: config.schemaRegistryUrl,
    clientId: 'test',
    source: 'test',
    topicPrefix: config.topicPrefix,
    logger,
  });
  const env = {
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    DATABASE_URL: config.databaseUrl,
    KAFKA_BROKERS: config.kafkaBrokers.join(','),
    SCHEMA_REGISTRY_URL: config.schemaRegistryUrl,
    TOPIC_PREFIX: config.topicPrefix,
    PUBLIC_TOPIC_PREFIX: config.topicPrefix,
    CONTRACT_ADDRESS: `0x${'11'.repeat(20)}`,
    WEBHOOK_SEALING_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    WEBHOOK_ALLOW_LOOPBACK_HTTP: 'true',
    INTERNAL_PORT: new URL(config.notificationsUrl).port,
    LOG_LEVEL: 'error',
  };
  async function prepare(): Promise<void> {
    const name = publicTopicOf(config.topicPrefix);
    await bus.provision({
      publicTopics: [{ name, partitions: 1, retentionMs: 3_600_000, cleanupPolicy: 'delete' }],
    });
    await promisify(execFile)(process.execPath, [inService('migrate.ts')], { env });
  }
  let prepared: Promise<void> | undefined;
  let child: ChildProcess | undefined;
  return {
    async start(): Promise<void> {
      prepared ??= prepare();
      await prepared;
      child = spawn(process.execPath, [inService('main.ts')], { env, stdio: ['ignore', 'inherit', 'inherit'] });
      await eventually(async () => expect((await fetch(`${config.notificationsUrl}/health/ready`)).status).toBe(200), {
        timeoutMs: 60_000,
      });
    },
    async kill(): Promise<void> {
      const ended = child === undefined || child.exitCode !== null ? undefined : once(child, 'exit');
      child?.kill('SIGKILL');
      await ended;
      child = undefined;
    },
  };
}

/** Where a service may listen later. */
export const freeUrl = async (): Promise<string> => `http://127.0.0.1:${await fixedPort()}`;
