import type { Hex } from '@indelible/identifiers';
import { ConfigurationError } from '@indelible/service-runtime';
import type { SignerPort } from './signer-port.ts';

/**
 * Custody and operator derive from the same path: with one seed the first owner would be the operator, whose key is
 * where transactions are sent.
 * @throws ConfigurationError when the first address of custody is the operator's
 */
export async function refuseOperatorSeed(custody: Pick<SignerPort, 'address'>, operator: Hex): Promise<void> {
  if ((await custody.address(0)) === operator.toLowerCase())
    throw new ConfigurationError([
      "CUSTODY_SEED or CUSTODY_SEED_FILE: it is the operator's seed (OPERATOR_ADDRESS); owners need a seed of their own",
    ]);
}
