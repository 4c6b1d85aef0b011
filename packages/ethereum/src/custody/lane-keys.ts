import type { Hex } from '@indelible/identifiers';
import { ConfigurationError, reasonOf } from '@indelible/service-runtime';
import { openKmsSigner } from './kms-signer.ts';
import { createOperatorKeys } from './operator-keys.ts';
import { seedFromHexOrFile } from './seed-file.ts';
import { createSeedLanes } from './seed-signers.ts';
import type { LaneKeysConfig } from './settings.ts';
import type { SignerPort } from './signer-port.ts';

export type LaneKeys = {
  readonly operator: Hex;
  /** Of each lane, by its index. */
  readonly signer: SignerPort;
  readonly count: number;
  close(): void;
};

/**
 * Opens the lanes' keys. With the operator's seed their operator is derived as well; otherwise only its address is known.
 * @param timeoutMs how long a signature may take
 * @throws ConfigurationError that names the variables; nothing of a seed is in it (I10)
 */
export async function openLaneKeys(config: LaneKeysConfig, timeoutMs: number): Promise<LaneKeys> {
  switch (config.of) {
    case 'operator-seed': {
      const seed = await readSeed(config.seed, 'OPERATOR_SEED');
      const { operator } = createOperatorKeys({ seed });
      return { operator: operator.address, ...(await openSeedLanes(seed, config.count)) };
    }
    case 'lane-seed': {
      const seed = await readSeed(config.seed, 'LANE_SEED');
      if (createOperatorKeys({ seed }).operator.address === config.operator)
        throw new ConfigurationError([
          'LANE_SEED or LANE_SEED_FILE: it is the seed of OPERATOR_ADDRESS itself; lanes need a seed of their own',
        ]);
      return { operator: config.operator, ...(await openSeedLanes(seed, config.count)) };
    }
    case 'kms': {
      const signer = await openKmsSigner({ keys: config.keys, timeoutMs });
      return { operator: config.operator, signer, count: config.keys.length, close: signer.close };
    }
  }
}

/** Derives every key now: a log can redact only known keys (I10). */
async function openSeedLanes(seed: Uint8Array, count: number): Promise<Omit<LaneKeys, 'operator'>> {
  const signer = createSeedLanes({ seed });
  await Promise.all(Array.from({ length: count }, (_, index) => signer.address(index)));
  return { signer, count, close: () => {} };
}

async function readSeed(value: string, variable: string): Promise<Uint8Array> {
  try {
    return await seedFromHexOrFile(value);
  } catch (error) {
    throw new ConfigurationError([`${variable} or ${variable}_FILE: ${reasonOf(error)}`]);
  }
}
