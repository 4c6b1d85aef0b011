import {
  allOf,
  type Environment,
  integer,
  logSettings,
  mapped,
  optional,
  readSettings,
  routelessServerSettings,
  text,
  textOrPath,
  url,
  type ValueOf,
} from '@indelible/service-runtime';

const rpcUrl = url('RPC_URL', {
  meaning: 'An anvil that mines nothing by itself (`--no-mining`)',
  protocols: ['http:', 'https:'],
});

export const settings = allOf({
  rpcUrls: mapped(rpcUrl, (url) => [url] as const),
  directory: text('CHAIN_DIRECTORY', { meaning: 'Where blocks are kept' }),
  blockTimeSeconds: integer('BLOCK_TIME', {
    meaning: 'How often a block is mined',
    unit: 's',
    default: 1,
    min: 1,
    max: 3_600,
  }),
  ...routelessServerSettings(8106),
  ...logSettings,
});

export type Config = ValueOf<typeof settings>;

const fundSettings = allOf({
  rpcUrl,
  /** Hex, or the path of a seed file. */
  operatorSeed: textOrPath('OPERATOR_SEED', {
    meaning: 'The seed of the operator, and of its lanes where they have no other',
    values: 'hex of 16 to 64 bytes',
  }),
  laneSeed: optional(textOrPath('LANE_SEED', { meaning: 'The seed of the lanes', values: 'hex of 16 to 64 bytes' })),
  lanes: integer('LANES', { meaning: 'Lanes that get funds', default: 1, min: 1, max: 64 }),
});

export type FundConfig = ValueOf<typeof fundSettings>;

/** @throws ConfigurationError that names every fault */
export const readFundConfig = (environment: Environment): FundConfig => readSettings(fundSettings, environment);
