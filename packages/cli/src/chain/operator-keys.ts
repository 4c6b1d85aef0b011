import { createOperatorKeys, type OperatorKeys, seedFromHexOrFile } from '@indelible/ethereum/custody';
import { describeError } from '../describe-error.ts';
import type { OperatorSettings } from '../operating-config.ts';
import { SettingsError } from '../settings-error.ts';

/** @throws SettingsError; nothing of the seed is in its message */
export async function readOperatorKeys({ seed }: OperatorSettings): Promise<OperatorKeys> {
  try {
    return createOperatorKeys({ seed: await seedFromHexOrFile(seed) });
  } catch (cause) {
    throw new SettingsError(
      `the operator's seed cannot be read: run \`npm start\` first, or set OPERATOR_SEED_FILE (${describeError(cause)})`,
      { cause },
    );
  }
}
