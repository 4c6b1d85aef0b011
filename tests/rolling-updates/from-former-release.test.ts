import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ServiceName } from '@indelible/launcher';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { startStreamReader } from '../public-events/support/read-stream.ts';
import { type EventWatch, watchEvents } from '../public-events/support/watch-events.ts';
import { expectAllConfirmed, expectOnceOnChain, expectWholeRecords } from './support/audit.ts';
import { untilFirstStamp } from './support/first-stamp.ts';
import { type Fleet, startFleet } from './support/fleet.ts';
import { formerRelease } from './support/former-release.ts';
import { type Load, startLoad } from './support/load.ts';
import { nodeOf, type Release, thisRelease } from './support/release.ts';

jest.setTimeout(600_000);

/** The order of docs/upgrades.md: who reads new messages before who writes them. */
const order: readonly ServiceName[] = [
  'chain-indexer',
  'verification',
  'storage',
  'notifications',
  'gateway',
  'stamping',
];

let former: Release;
let fleet: Fleet;
let events: EventWatch;
let load: Load;
beforeAll(async () => {
  former = await formerRelease();
  fleet = await startFleet(former);
  const { account: address, apiKey } = fleet.provisioned;
  await untilFirstStamp(fleet.rootUrl, apiKey);
  events = await watchEvents(
    {
      stack: {
        connection: { kafkaBrokers: fleet.addresses.kafkaBrokers },
        services: { notifications: { internalUrl: fleet.urlOf('notifications') } },
      },
      pool: fleet.pool,
      topicPrefix: fleet.topicPrefix,
    },
    [address],
    [startStreamReader(fleet.rootUrl, address, apiKey)],
  );
  load = startLoad(fleet.rootUrl, apiKey, { stamping: 6, lookingUp: 2, patient: true });
});
afterAll(async () => {
  await load?.finish();
  await events?.stop();
  await fleet?.stop();
});

/** The command line of this release, with what reaches the fleet's servers. */
const indelible = (...words: string[]): Promise<unknown> =>
  promisify(execFile)(nodeOf(thisRelease), ['packages/cli/src/main.ts', ...words], {
    cwd: thisRelease.root,
    env: {
      ...process.env,
      DATABASE_URL: fleet.addresses.databaseUrl,
      KAFKA_BROKERS: fleet.addresses.kafkaBrokers,
      SCHEMA_REGISTRY_URL: fleet.addresses.schemaRegistryUrl,
      TOPIC_PREFIX: fleet.topicPrefix,
    },
  });

it('migrations and topics of this release come while every service of the former one runs', async () => {
  await indelible('migrate');
  await indelible('provision', 'topics');
  expect(load.failures).toEqual([]);
});

it.each(order)(
  '%s is replaced while the others are of either release, and a patient client loses nothing',
  async (name) => {
    // Only one version of notifications runs at a time: docs/upgrades.md.
    if (name === 'notifications') await fleet.recreate(name, thisRelease);
    else await fleet.update(name, thisRelease);
    expect(fleet.releasesOf(name)).toEqual([thisRelease.name, thisRelease.name]);
    expect([...load.failures, ...fleet.faults()]).toEqual([]);
  },
);

it('what was requested meanwhile is on the chain once, recorded without a gap, and published once in order (I1, I2, I5, I6)', async () => {
  await load.finish();
  process.stderr.write(`update from ${former.name}: ${JSON.stringify({ ...load.counts, setbacks: load.setbacks })}\n`);
  expect(load.failures).toEqual([]);
  for (const kind of ['cid', 'file', 'batch', 'later', 'async', 'collection', 'verify', 'events', 'me'])
    expect([kind, load.counts[kind]]).toEqual([kind, expect.any(Number)]);
  await expectAllConfirmed(fleet, load);
  await expectOnceOnChain(fleet, load);
  await expectWholeRecords(fleet, load);
  await events.untilWhole(60_000);
});
