import { resolve } from 'node:path';
import type { Hex } from '@indelible/identifiers';
import { readAddresses } from '@indelible/local-infrastructure';
import { readEnvironment } from '@indelible/service-runtime';
import { Command } from 'commander';

export type LauncherOptions = {
  readonly fresh: boolean;
  readonly addresses: ReturnType<typeof readAddresses>;
  readonly contractAddress: Hex | undefined;
  readonly localDir: string;
};

/** Reads the command line and the addresses that the environment gives. */
export function readOptions(argv: readonly string[], environment: NodeJS.ProcessEnv): LauncherOptions {
  const command = new Command('npm start --')
    .description('Start Indelible: infrastructure, contract, services, a first account.')
    .option('--fresh', 'begin anew: forget all data of earlier starts, the chain included', false)
    .parse(argv, { from: 'user' });
  const read = readEnvironment(environment);
  const contract = read.optionalText('CONTRACT_ADDRESS');
  if (contract !== undefined) read.matching('CONTRACT_ADDRESS', /^0x[0-9a-fA-F]{40}$/, 'an address');
  read.finish();
  return {
    fresh: command.opts<{ fresh: boolean }>().fresh,
    addresses: readAddresses(environment),
    contractAddress: contract?.toLowerCase() as Hex | undefined,
    localDir: resolve(import.meta.dirname, '../../../.local'),
  };
}
