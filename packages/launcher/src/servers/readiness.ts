import { chainAnswers } from '../native/anvil.ts';
import { kafkaAnswers } from '../native/kafka.ts';
import { databaseAnswers } from '../native/postgres.ts';
import { redisAnswers } from '../native/redis.ts';
import { registryAnswers } from '../native/schema-registry.ts';
import { InfrastructureError } from './infrastructure-error.ts';
import type { PartName } from './parts.ts';
import type { Server } from './supervisor.ts';
import { waitUntil } from './wait-until.ts';

/** One real request to each part; resolves if it responds as a working server would. */
const CHECKS: Readonly<Record<PartName, (address: string, signal: AbortSignal) => Promise<unknown>>> = {
  postgres: databaseAnswers,
  kafka: kafkaAnswers,
  registry: registryAnswers,
  redis: redisAnswers,
  anvil: chainAnswers,
};

/** Checks the part once. Rejects if it does not work. */
export async function checkPart(part: PartName, address: string, signal: AbortSignal): Promise<void> {
  await CHECKS[part](address, signal);
}

/**
 * Waits until our server responds. Throws {@link InfrastructureError} with the end of its log as soon as it has ended,
 * or when the time is up.
 */
export async function waitForServer(
  part: PartName,
  address: string,
  server: Server,
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  const ended = new AbortController();
  void server.exited.then(() => ended.abort(new Error('the process ended')));
  const signal = AbortSignal.any([options.signal, ended.signal]);
  try {
    await waitUntil((deadline) => CHECKS[part](address, deadline), { timeoutMs: options.timeoutMs, signal });
  } catch (error) {
    options.signal.throwIfAborted();
    const what = ended.signal.aborted ? 'ended while starting' : `did not answer within ${options.timeoutMs / 1000} s`;
    throw new InfrastructureError(`${server.name} ${what}`, 'its last lines say why; start again once that is mended', {
      lastLines: await server.lastLines(),
      retryable: true,
      cause: error,
    });
  }
}
