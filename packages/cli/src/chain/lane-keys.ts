import { type LaneKeys, type LaneKeysConfig, openLaneKeys } from '@indelible/ethereum/custody';
import type { Hex } from '@indelible/identifiers';
import { ConfigurationError } from '@indelible/service-runtime';
import { SettingsError } from '../settings-error.ts';

const signatureMs = 10_000;

/** The lanes' keys while `use` runs. @throws SettingsError; nothing of a seed is in its message */
export async function withLaneKeys<Result>(
  config: LaneKeysConfig,
  use: (keys: LaneKeys) => Promise<Result>,
): Promise<Result> {
  const keys = await open(config);
  try {
    return await use(keys);
  } finally {
    keys.close();
  }
}

async function open(config: LaneKeysConfig): Promise<LaneKeys> {
  try {
    return await openLaneKeys(config, signatureMs);
  } catch (cause) {
    if (!(cause instanceof ConfigurationError)) throw cause;
    throw new SettingsError(cause.message.replaceAll(/\s*\n\s*/g, ' '), { cause });
  }
}

/** Lanes by their indexes: all of them when none is named. */
export const lanesOf = (keys: LaneKeys, indexes: readonly number[] = []) =>
  Promise.all(
    (indexes.length > 0 ? indexes : Array.from({ length: keys.count }, (_, index) => index)).map(async (index) => ({
      index,
      address: await keys.signer.address(index),
      signDigest: (digest: Hex) => keys.signer.signDigest(index, digest),
    })),
  );
