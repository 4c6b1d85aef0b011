import { serviceNames } from '@indelible/launcher';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { startStreamReader } from '../public-events/support/read-stream.ts';
import { startWebhookReceiver } from '../public-events/support/receive-webhooks.ts';
import { type EventWatch, watchEvents } from '../public-events/support/watch-events.ts';
import { expectAllConfirmed, expectOnceOnChain, expectWholeRecords } from './support/audit.ts';
import { untilFirstStamp } from './support/first-stamp.ts';
import { type Fleet, startFleet } from './support/fleet.ts';
import { type Load, startLoad } from './support/load.ts';
import { thisRelease } from './support/release.ts';

jest.setTimeout(300_000);

let fleet: Fleet;
let events: EventWatch;
let load: Load;
beforeAll(async () => {
  fleet = await startFleet(thisRelease);
  const { account: address, apiKey } = fleet.provisioned;
  await untilFirstStamp(fleet.rootUrl, apiKey);
  const owner = { rootUrl: fleet.rootUrl, address, apiKey };
  const others = [startStreamReader(fleet.rootUrl, address, apiKey), await startWebhookReceiver(owner, false)];
  const { kafkaBrokers } = fleet.addresses;
  const notifications = { internalUrl: fleet.urlOf('notifications') };
  events = await watchEvents(
    {
      stack: { connection: { kafkaBrokers }, services: { notifications } },
      pool: fleet.pool,
      topicPrefix: fleet.topicPrefix,
    },
    [address],
    others,
  );
  load = startLoad(fleet.rootUrl, apiKey);
});
afterAll(async () => {
  await load?.finish();
  await events?.stop();
  await fleet?.stop();
});

it.each(serviceNames)('each replica of %s is replaced under load, and no request fails', async (name) => {
  await fleet.update(name, thisRelease);
  expect([...load.failures, ...fleet.faults()]).toEqual([]);
});

it('what was asked for meanwhile is on the chain once, recorded without a gap, and told once in order (I1, I2, I5, I6)', async () => {
  await load.finish();
  expect(load.failures).toEqual([]);
  for (const kind of ['cid', 'file', 'batch', 'later', 'async', 'collection', 'verify', 'events', 'me'])
    expect([kind, load.counts[kind]]).toEqual([kind, expect.any(Number)]);
  // It is for seconds, while partitions of verification change hands.
  expect(load.sentAgain()).toBeLessThan((load.counts.verify ?? 0) / 50);
  await expectAllConfirmed(fleet, load);
  await expectOnceOnChain(fleet, load);
  await expectWholeRecords(fleet, load);
  await events.untilWhole(60_000);
});
