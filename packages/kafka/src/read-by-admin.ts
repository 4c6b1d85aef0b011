import { createBackoff } from '@indelible/service-runtime';
import type { Admin } from 'kafkajs';
import { type Connection, createKafkaClient } from './kafka-client.ts';
import { isTransient } from './kafka-faults.ts';
import { untilReady } from './until-ready.ts';

const timeoutMs = 30_000;

/**
 * Reads from the brokers. Retries when a broker does not lead a partition yet, or any more: each attempt has its own
 * client, since kafkajs' admin gives up then and caches the leaders.
 * @param failed the log line of a failed attempt
 * @throws BrokerUnavailableError when the brokers do not answer within 30 s
 */
export const readByAdmin = <Result>(
  connection: Connection,
  failed: string,
  read: (admin: Admin) => Promise<Result>,
): Promise<Result> => {
  const attempt = async (): Promise<Result> => {
    const client = createKafkaClient(connection, { connectionTimeoutMs: 3000, requestTimeoutMs: 10_000, retries: 3 });
    const admin = client.admin();
    try {
      await admin.connect();
      return await read(admin);
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
  };
  return untilReady(attempt, {
    timeoutMs,
    signal: new AbortController().signal,
    backoff: createBackoff({ firstMs: 50, ceilingMs: 1000 }),
    isTransient,
    onFailure: (error, attempt) => connection.logger.debug({ err: error, attempt }, failed),
  });
};
