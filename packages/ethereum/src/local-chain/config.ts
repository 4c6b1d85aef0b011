import {
  allOf,
  integer,
  logSettings,
  mapped,
  routelessServerSettings,
  text,
  url,
  type ValueOf,
} from '@indelible/service-runtime';

export const settings = allOf({
  rpcUrls: mapped(
    url('RPC_URL', {
      meaning: 'An anvil that mines nothing by itself (`--no-mining`)',
      protocols: ['http:', 'https:'],
    }),
    (url) => [url] as const,
  ),
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
