import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { RunningStack } from '../../e2e/support/running-stack.ts';

const main = resolve(import.meta.dirname, '../../../packages/cli/src/main.ts');

/**
 * The command line of this stack, as its operator uses it.
 * @param operatorSeed hex
 * @returns what it printed; rejects when its exit code is not 0
 */
export function commandLineOf({ connection, topicPrefix }: RunningStack, operatorSeed: string) {
  const { chainId, contractAddress, databaseUrl, kafkaBrokers, rpcUrl, schemaRegistryUrl } = connection;
  const env = {
    ...{ DATABASE_URL: databaseUrl, KAFKA_BROKERS: kafkaBrokers, SCHEMA_REGISTRY_URL: schemaRegistryUrl },
    ...{ TOPIC_PREFIX: topicPrefix, RPC_URL: rpcUrl, CHAIN_ID: String(chainId), CONTRACT_ADDRESS: contractAddress },
    OPERATOR_SEED: operatorSeed,
  };
  return async (command: string): Promise<string> =>
    (await promisify(execFile)(process.execPath, [main, ...command.split(' ')], { env })).stdout;
}
