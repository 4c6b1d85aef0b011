import { blobStoreSettings } from '@indelible/blob-store';
import {
  allOf,
  brokerSettings,
  consumerSettings,
  databaseSettings,
  type Environment,
  integer,
  internalServerSettings,
  logSettings,
  mapped,
  readSettings,
  redisSettings,
  settingsMain,
  type ValueOf,
  webUrl,
} from '@indelible/service-runtime';

const inMs = (seconds: number): number => seconds * 1_000;

export const settings = allOf({
  ...databaseSettings,
  ...brokerSettings,
  ...redisSettings,
  ...consumerSettings,
  stampingUrl: webUrl('STAMPING_URL', { meaning: "Stamping's internal server" }),
  blobStore: blobStoreSettings,
  sweepAfterMs: mapped(
    integer('SWEEP_AFTER_SECONDS', {
      meaning: 'How old unclaimed staged content must be before it is swept',
      unit: 's',
      default: 86_400,
      min: 60,
      max: 31_536_000,
    }),
    inMs,
  ),
  sweepIntervalMs: mapped(
    integer('SWEEP_INTERVAL_SECONDS', {
      meaning: 'How often unclaimed content is looked for',
      unit: 's',
      default: 300,
      min: 1,
      max: 86_400,
    }),
    inMs,
  ),
  ...internalServerSettings(8103),
  ...logSettings,
});

export type Config = ValueOf<typeof settings>;

/** @throws ConfigurationError that names every fault */
export const readConfig = (environment: Environment): Config => readSettings(settings, environment);

if (import.meta.main) settingsMain(settings, process.argv.slice(2));
