import { chainAddress, integer, list, madeOf, optional, textOrPath } from '@indelible/service-runtime';

/** Where the lanes' keys are. A seed is hex, or the path of its file. */
export type LaneKeysConfig =
  | { readonly of: 'operator-seed'; readonly seed: string; readonly count: number }
  | { readonly of: 'lane-seed'; readonly seed: string; readonly count: number; readonly operator: `0x${string}` }
  | { readonly of: 'kms'; readonly keys: readonly string[]; readonly operator: `0x${string}` };

const seedValues = 'hex of 16 to 64 bytes';
const mostLanes = 64;

export const operatorSeed = textOrPath('OPERATOR_SEED', {
  meaning:
    'The seed of the operator, and of its lanes where they have no other: for a local start, since a process that reads it can add lanes; its file may be readable by its owner and group alone',
  values: seedValues,
});

export const laneCount = integer('LANES', {
  meaning: 'Keys that sign transactions side by side; of LANE_KMS_KEYS all',
  default: 1,
  min: 1,
  max: mostLanes,
});

const parts = {
  operatorSeed: optional(operatorSeed, 'none'),
  laneSeed: optional(
    textOrPath('LANE_SEED', {
      meaning: 'The seed of the lanes alone; its file may be readable by its owner and group alone',
      values: seedValues,
    }),
    'none',
  ),
  keys: optional(
    list('LANE_KMS_KEYS', {
      meaning: 'Keys of AWS KMS (id, ARN or alias), one a lane, in the order of their indexes',
    }),
    'none',
  ),
  operator: optional(
    chainAddress(
      'OPERATOR_ADDRESS',
      'The operator of the lanes, to which accounts grant; required with LANE_SEED or LANE_KMS_KEYS',
    ),
    'that of OPERATOR_SEED',
  ),
  count: laneCount,
};

/** The lanes' keys, their own before the operator's; undefined if no variable is set. */
export const givenLaneKeys = madeOf(
  parts,
  ({ operatorSeed, laneSeed, keys, operator, count }, fault): LaneKeysConfig | undefined => {
    if (laneSeed === undefined && keys === undefined)
      return operatorSeed === undefined ? undefined : { of: 'operator-seed', seed: operatorSeed, count };
    if (operator === undefined) fault('OPERATOR_ADDRESS', 'is required');
    const known = operator ?? '0x';
    if (keys === undefined) return { of: 'lane-seed', seed: laneSeed ?? '', count, operator: known };
    if (laneSeed !== undefined) fault('LANE_SEED', 'or LANE_KMS_KEYS may be given, not both');
    if (keys.length === 0) fault('LANE_KMS_KEYS', 'must name keys');
    else if (keys.length > mostLanes) fault('LANE_KMS_KEYS', `may have ${mostLanes} keys`);
    else if (new Set(keys).size < keys.length) fault('LANE_KMS_KEYS', 'has a key twice');
    return { of: 'kms', keys, operator: known };
  },
);

/** The same for a service: keys are required, and lanes with their own keys exclude the operator's seed. */
export const laneKeys = madeOf(
  { keys: givenLaneKeys, operatorSeed: parts.operatorSeed },
  ({ keys, operatorSeed }, fault): LaneKeysConfig => {
    if (keys === undefined) fault('LANE_SEED', 'or LANE_KMS_KEYS or OPERATOR_SEED is required');
    else if (keys.of !== 'operator-seed' && operatorSeed !== undefined)
      fault('OPERATOR_SEED', 'is not to be given where lanes have keys of their own');
    return keys as LaneKeysConfig;
  },
);
