import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { whatDoctorFinds } from '../doctor/support/what-doctor-finds.ts';
import { type EventWatch, watchEvents } from '../public-events/support/watch-events.ts';
import { commitmentsOnChain } from './support/chain.ts';
import { receiptsOfEvents } from './support/events.ts';
import { chooseFault, type Fault } from './support/faults.ts';
import { createHostility } from './support/hostile.ts';
import { createPatientClient } from './support/patient-client.ts';
import { createProcessFaults } from './support/processes.ts';
import { storedBytes, untilQuiet } from './support/quiet.ts';
import { createRandom } from './support/random.ts';
import { createRequests } from './support/requests.ts';
import { subscribeFromOutside } from './support/subscribers.ts';
import { lastWarnings, startWorld, type World } from './support/world.ts';

/** `CHAOS_SEED` repeats a run, `CHAOS_STEPS` says how long it is; `npm run chaos` makes a long one. */
const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 32));
const isLong = process.env.npm_lifecycle_event === 'chaos';
const steps = Number(process.env.CHAOS_STEPS ?? (isLong ? 5_000 : 400));
const stepMs = 40;
const atOnce = 64;
jest.setTimeout(10 * 60_000 + steps * 2_000);

let world: World;
let watch: EventWatch;
let processes: ReturnType<typeof createProcessFaults>;
beforeAll(async () => {
  world = await startWorld();
  const outside = await subscribeFromOutside(world);
  watch = await watchEvents(
    world,
    world.tenants.map(({ address }) => address),
    outside,
  );
  processes = createProcessFaults(world, watch, outside);
});
afterAll(async () => {
  processes?.thaw();
  await watch?.stop();
  await world?.stop();
});

it(`after ${steps} steps of requests, crashes, outages, reorgs and RPC faults every invariant holds (I1 to I9)`, async () => {
  process.stderr.write(`chaos: seed ${seed}, ${steps} steps\n`);
  const random = createRandom(seed);
  const clients = world.tenants.map(({ apiKey }) => createPatientClient(world.connection.rootUrl, apiKey));
  const hostility = createHostility(world);
  const requests = createRequests(random, clients);
  const { identities, pairs, statuses } = requests;
  const faults = new Map<string, number>();
  const broken: unknown[] = [];
  const underWay = new Set<Promise<unknown>>();
  const start = (work: Promise<unknown>): void => {
    const guarded = work.catch((error: unknown) => void broken.push(error)).finally(() => underWay.delete(guarded));
    underWay.add(guarded);
  };
  const make = async (fault: Fault): Promise<void> => {
    faults.set(fault.name, (faults.get(fault.name) ?? 0) + 1);
    const stuck = delay(120_000, undefined, { ref: false }).then(() =>
      Promise.reject(new Error(`no end of: ${fault.name}`)),
    );
    await Promise.race([fault.make(), stuck]);
  };
  const sure = processes.sure();
  const sureEvery = Math.ceil(steps / (sure.length + 1));

  for (let step = 0; step < steps && broken.length === 0; step++) {
    const due = step > 0 && step % sureEvery === 0 ? sure[step / sureEvery - 1] : undefined;
    if (due !== undefined) await make(due);
    if (random.below(14) === 0) {
      const kinds = [() => chooseFault(random, world), () => hostility.choose(random), () => processes.choose(random)];
      await make(random.pick(kinds)());
      continue;
    }
    for (const request of requests.choose()) start(request);
    if (underWay.size >= atOnce) await Promise.race(underWay);
    await delay(stepMs);
  }

  process.stderr.write(`chaos: all steps made, ${underWay.size} requests to be answered yet\n`);
  for (const node of Object.values(world.nodes)) node.heal();
  await hostility.end();
  await processes.end();
  await Promise.all(underWay);
  if (broken.length > 0) process.stderr.write(`${await lastWarnings(60)}\n`);
  expect(broken).toEqual([]);

  // Quiet: what the last reorgs removed comes back, and then everything becomes final.
  const head = Number(await world.anvil.request('eth_blockNumber'));
  await eventually(async () => expect(Number(await world.anvil.request('eth_blockNumber'))).toBeGreaterThan(head + 8), {
    timeoutMs: 120_000,
  });
  process.stderr.write('chaos: all requests answered\n');
  await untilQuiet(world);
  await watch.untilFinal(120_000);
  const onChain = await commitmentsOnChain(world);
  const byObject = Map.groupBy(onChain, ({ object_cid }) => object_cid);
  const lost = identities.filter(({ objectCid }) => byObject.get(objectCid) === undefined);
  const doubled = identities.filter(({ objectCid }) => (byObject.get(objectCid)?.length ?? 0) > 1);
  const ofPairs = pairs.map((cid) => byObject.get(cid)?.length ?? 0);
  const sum = (counts: Iterable<number>): number => [...counts].reduce((total, count) => total + count, 0);
  process.stderr.write(
    `chaos: ${onChain.length} stamps made, ${sum(faults.values())} faults injected, lost ${lost.length}, doubled ${doubled.length}; ` +
      `${sum(clients.map(({ counts }) => counts.requests))} requests, ` +
      `${sum(clients.map(({ counts }) => counts.retries))} of them repeated (seed ${seed})\n`,
  );
  process.stderr.write(`chaos: ${[...faults].map(([name, count]) => `${name} ${count}`).join(', ')}\n`);
  expect({ lost, doubled }).toEqual({ lost: [], doubled: [] });
  expect(ofPairs.filter((count) => count !== 1 && count !== 2)).toEqual([]);
  const expected = identities.length + sum(ofPairs);
  expect(onChain).toHaveLength(expected);

  // Each subscriber has every event of every stamp once by id, in order, and the last one matches the chain (I4, I5).
  const report = () => void process.stderr.write(`chaos: public events ${JSON.stringify(watch.counts())}\n`);
  await watch.untilWhole(120_000).finally(report);
  expect(receiptsOfEvents(watch.topic.events)).toEqual(onChain.map((receipt) => JSON.stringify(receipt)).toSorted());

  // Every client's current response matches the chain (I1, I4, I9), and the request makes nothing new (I2).
  for (const { client, form, objectCid } of identities)
    expect(await client.stamp(form)).toMatchObject({ status: 200, receipt: byObject.get(objectCid)?.[0] });
  expect(await commitmentsOnChain(world)).toHaveLength(expected);
  for (const { client, url } of statuses) expect(['confirmed', 'finalized']).toContain(await client.statusOf(url));
  for (const client of clients) {
    const own = identities.filter((identity) => identity.client === client);
    for (let at = 0; at < own.length; at += 500) {
      const cids = own.slice(at, at + 500).map(({ objectCid }) => objectCid);
      const found = await client.verify(cids);
      expect(found.map(({ object_cid }) => object_cid).toSorted()).toEqual(cids.toSorted());
    }
  }
  for (const { content, objectCid } of identities) {
    if (content === undefined) continue;
    const files = await storedBytes(world, objectCid);
    expect(files).toHaveLength(1);
    expect(files[0]?.equals(content)).toBe(true);
  }
  expect(await whatDoctorFinds(world)).toEqual([]);
});
