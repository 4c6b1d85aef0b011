import { blobStoreSettings } from '@indelible/blob-store';
import {
  allOf,
  brokerSettings,
  chainId,
  consumerSettings,
  databaseSettings,
  type Environment,
  integer,
  internalServerSettings,
  logSettings,
  optional,
  readSettings,
  redisSettings,
  settingsMain,
  text,
  type ValueOf,
  webUrl,
} from '@indelible/service-runtime';
import { accountSettings, boundSettings, corsOrigins, timeSettings } from './limits/limit-settings.ts';

export const settings = allOf({
  ...logSettings,
  httpHost: text('HTTP_HOST', { meaning: 'Address on which the API listens', default: '0.0.0.0' }),
  httpPort: integer('HTTP_PORT', {
    meaning: 'Port of the API; 0 is any free one',
    default: 8080,
    min: 0,
    max: 65_535,
  }),
  ...internalServerSettings(8100),
  ...databaseSettings,
  ...brokerSettings,
  ...consumerSettings,
  ...redisSettings,
  verificationUrl: webUrl('VERIFICATION_URL', { meaning: "Verification's internal server" }),
  indexerUrl: webUrl('INDEXER_URL', { meaning: "The chain-indexer's internal server" }),
  stampingUrl: webUrl('STAMPING_URL', { meaning: "Stamping's internal server" }),
  storageUrl: webUrl('STORAGE_URL', { meaning: "Storage's internal server" }),
  notificationsUrl: webUrl('NOTIFICATIONS_URL', { meaning: "Notifications' internal server" }),
  blobStore: blobStoreSettings,
  chainId,
  publicUrl: optional(
    webUrl('PUBLIC_URL', { meaning: 'The address that clients use, with scheme' }),
    'none: Location is a path',
  ),
  ...timeSettings,
  ...boundSettings,
  ...accountSettings,
  corsOrigins,
});

export type Config = ValueOf<typeof settings>;

/** @throws ConfigurationError naming every fault */
export const readConfig = (environment: Environment): Config => readSettings(settings, environment);

const rebuildSettings = allOf({ ...databaseSettings, ...brokerSettings });

/** What rebuilding a read model needs: where its messages are, and where it is. */
export type RebuildConfig = ValueOf<typeof rebuildSettings>;

/** @throws ConfigurationError */
export const readRebuildConfig = (environment: Environment): RebuildConfig =>
  readSettings(rebuildSettings, environment);

if (import.meta.main) settingsMain(settings, process.argv.slice(2));
