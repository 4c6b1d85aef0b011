import {
  allOf,
  type Environment,
  integer,
  optional,
  readSettings,
  textOrPath,
  url,
  type ValueOf,
} from '@indelible/service-runtime';

const settings = allOf({
  rpcUrl: url('RPC_URL', { meaning: 'A development chain', protocols: ['http:', 'https:'] }),
  /** Hex, or the path of a seed file. */
  operatorSeed: textOrPath('OPERATOR_SEED', {
    meaning: 'The seed of the operator, and of its lanes where they have no other',
    values: 'hex of 16 to 64 bytes',
  }),
  laneSeed: optional(textOrPath('LANE_SEED', { meaning: 'The seed of the lanes', values: 'hex of 16 to 64 bytes' })),
  lanes: integer('LANES', { meaning: 'Lanes that get funds', default: 1, min: 1, max: 64 }),
});

export type FundConfig = ValueOf<typeof settings>;

/** @throws ConfigurationError that names every fault */
export const readFundConfig = (environment: Environment): FundConfig => readSettings(settings, environment);
