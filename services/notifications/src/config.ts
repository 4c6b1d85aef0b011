import { publicTopicSettings } from '@indelible/public-events/settings';
import {
  allOf,
  brokerSettings,
  consumerSettings,
  contractAddress,
  databaseSettings,
  type Environment,
  flag,
  integer,
  internalServerSettings,
  list,
  logSettings,
  mapped,
  optional,
  readSettings,
  settingsMain,
  text,
  type ValueOf,
} from '@indelible/service-runtime';
import { parseNetworks } from './webhook-requests/addresses.ts';
import { parseSealingKeys } from './webhook-requests/sealing-keys.ts';

/** Settings of the public topic's records. */
const replaySettings = { ...databaseSettings, ...brokerSettings, ...publicTopicSettings };

/** Keys that seal webhook secrets: the first seals, all open. Their faults name no key. */
const webhookSealingKeys = mapped(
  text('WEBHOOK_SEALING_KEYS', {
    meaning:
      'Keys that seal the secrets of webhooks, `id:base64` of 32 bytes, comma-separated; the first seals, all open',
    secrecy: 'whole',
  }),
  (given, fault) => {
    const { keys, faults } = parseSealingKeys(given);
    if (faults.length > 0) fault('WEBHOOK_SEALING_KEYS', faults.join('; '));
    return keys;
  },
);

export const settings = allOf({
  ...replaySettings,
  ...consumerSettings,
  contractAddress,
  webhookSealingKeys,
  webhookAllowLoopbackHttp: flag('WEBHOOK_ALLOW_LOOPBACK_HTTP', {
    meaning: 'Whether webhooks may lead to this machine, also by http: for a local start and tests alone',
    default: false,
  }),
  webhookDeniedNetworks: mapped(
    optional(
      list('WEBHOOK_DENIED_NETWORKS', {
        meaning: 'Networks that webhooks may not reach though their addresses are public: internal ones, say',
        values: 'comma-separated networks such as `203.0.113.0/24`',
      }),
      'none',
    ),
    (given = [], fault) => {
      const { networks, faults } = parseNetworks(given);
      if (faults.length > 0) fault('WEBHOOK_DENIED_NETWORKS', faults.join('; '));
      return networks;
    },
  ),
  accountWebhooks: integer('ACCOUNT_WEBHOOKS', {
    meaning: 'Webhooks of one account',
    default: 20,
    min: 0,
    max: 1_000,
  }),
  ...internalServerSettings(8105),
  ...logSettings,
});

export type Config = ValueOf<typeof settings>;

/** @throws ConfigurationError that names every fault */
export const readConfig = (environment: Environment): Config => readSettings(settings, environment);

const replaying = allOf(replaySettings);

/** The settings of a replay: those of records, without a server. */
export type ReplayConfig = ValueOf<typeof replaying>;

/** @throws ConfigurationError that names every fault */
export const readReplayConfig = (environment: Environment): ReplayConfig => readSettings(replaying, environment);

if (import.meta.main) settingsMain(settings, process.argv.slice(2));
