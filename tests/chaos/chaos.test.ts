import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import sha3 from 'js-sha3';
import { commitmentsOnChain } from './support/chain.ts';
import { whatDoctorFinds } from './support/doctor.ts';
import { chooseFault } from './support/faults.ts';
import { createHostility } from './support/hostile.ts';
import { createPatientClient, type Form } from './support/patient-client.ts';
import { storedBytes, untilQuiet } from './support/quiet.ts';
import { createRandom } from './support/random.ts';
import { lastWarnings, startWorld, type World } from './support/world.ts';

/** `CHAOS_SEED` repeats a run, `CHAOS_STEPS` says how long it is; `npm run chaos` makes a long one. */
const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 32));
const isLong = process.env.npm_lifecycle_event === 'chaos';
const steps = Number(process.env.CHAOS_STEPS ?? (isLong ? 5_000 : 400));
const stepMs = 40;
const atOnce = 64;
jest.setTimeout(10 * 60_000 + steps * 2_000);

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.stop());

/** What a client wants to be stamped, once: whatever happens, there must be one commitment of it. */
type Identity = { readonly form: Form; readonly objectCid: string; readonly content: Buffer | undefined };

it(`after ${steps} steps of requests, crashes, reorgs and RPC faults every invariant holds (I1 to I9)`, async () => {
  process.stderr.write(`chaos: seed ${seed}, ${steps} steps\n`);
  const random = createRandom(seed);
  const client = createPatientClient(world.connection.rootUrl, world.connection.apiKey);
  const hostility = createHostility(world);
  const identities: Identity[] = [];
  /** CIDs that two requests wanted stamped with a window of zero: one commitment of each, or two. */
  const pairs: string[] = [];
  const statuses: string[] = [];
  const faults = new Map<string, number>();
  const broken: unknown[] = [];
  const underWay = new Set<Promise<unknown>>();
  const start = (work: Promise<unknown>): void => {
    const guarded = work.catch((error: unknown) => void broken.push(error)).finally(() => underWay.delete(guarded));
    underWay.add(guarded);
  };
  const fresh = (): Identity => {
    const content = random.bytes(16 + random.below(2_000));
    const objectCid = `0x${sha3.sha3_256(content)}`;
    const collection = random.pick([undefined, undefined, 'Alpha', 'Beta', 'Gamma']);
    const named = collection === undefined ? {} : { collection_name: collection };
    const stores = random.below(4) === 0;
    const what: Form = stores ? { file: { bytes: content, name: 'chaos.bin' } } : { data_cid: objectCid };
    const identity = { form: { ...what, ...named }, objectCid, content: stores ? content : undefined };
    identities.push(identity);
    return identity;
  };

  for (let step = 0; step < steps && broken.length === 0; step++) {
    if (random.below(20) === 0) {
      const fault = random.below(2) === 0 ? chooseFault(random, world) : hostility.choose(random);
      faults.set(fault.name, (faults.get(fault.name) ?? 0) + 1);
      const stuck = delay(120_000, undefined, { ref: false }).then(() =>
        Promise.reject(new Error(`no end of: ${fault.name}`)),
      );
      await Promise.race([fault.make(), stuck]);
      continue;
    }
    random.weighted([
      [12, () => start(client.stamp(fresh().form))],
      [3, () => start(client.stamp((identities.length > 0 ? random.pick(identities) : fresh()).form))],
      [
        1,
        () => {
          const { form } = fresh();
          for (let twin = 0; twin < 5; twin++) start(client.stamp(form));
        },
      ],
      [
        1,
        () => {
          const data_cid = `0x${random.bytes(32).toString('hex')}`;
          pairs.push(data_cid);
          for (const which of ['first', 'second'])
            start(client.stamp({ data_cid, idempotency_window: '0' }, `${which} of ${data_cid}`));
        },
      ],
      [2, () => start(client.stampLater(fresh().form).then((url) => void (url !== undefined && statuses.push(url))))],
      [
        1,
        () =>
          start(client.verify(identities.length > 0 ? [random.pick(identities).objectCid] : [`0x${'ab'.repeat(32)}`])),
      ],
    ])();
    if (underWay.size >= atOnce) await Promise.race(underWay);
    await delay(stepMs);
  }

  process.stderr.write(`chaos: all steps made, ${underWay.size} requests to be answered yet\n`);
  for (const node of Object.values(world.nodes)) node.heal();
  await hostility.end();
  await Promise.all(underWay);
  if (broken.length > 0) process.stderr.write(`${await lastWarnings(60)}\n`);
  expect(broken).toEqual([]);

  // Quiet: what was lost to the last reorgs comes back.
  const head = Number(await world.anvil.request('eth_blockNumber'));
  await eventually(async () => expect(Number(await world.anvil.request('eth_blockNumber'))).toBeGreaterThan(head + 8), {
    timeoutMs: 120_000,
  });
  process.stderr.write('chaos: all requests answered\n');
  await untilQuiet(world);
  const onChain = await commitmentsOnChain(world);
  const byObject = Map.groupBy(onChain, ({ object_cid }) => object_cid);
  const lost = identities.filter(({ objectCid }) => byObject.get(objectCid) === undefined);
  const doubled = identities.filter(({ objectCid }) => (byObject.get(objectCid)?.length ?? 0) > 1);
  const ofPairs = pairs.map((cid) => byObject.get(cid)?.length ?? 0);
  const injected = [...faults.values()].reduce((sum, count) => sum + count, 0);
  process.stderr.write(
    `chaos: ${onChain.length} stamps made, ${injected} faults injected, lost ${lost.length}, doubled ${doubled.length}; ` +
      `${client.counts.requests} requests, ${client.counts.retries} of them repeated (seed ${seed})\n`,
  );
  expect({ lost, doubled }).toEqual({ lost: [], doubled: [] });
  expect(ofPairs.filter((count) => count !== 1 && count !== 2)).toEqual([]);
  const expected = identities.length + ofPairs.reduce((sum, count) => sum + count, 0);
  expect(onChain).toHaveLength(expected);

  // What every client is told now is what stands on the chain (I1, I4, I9), and asking makes nothing new (I2).
  for (const { form, objectCid } of identities)
    expect(await client.stamp(form)).toMatchObject({ status: 200, receipt: byObject.get(objectCid)?.[0] });
  expect(await commitmentsOnChain(world)).toHaveLength(expected);
  for (const url of statuses) expect(['confirmed', 'finalized']).toContain(await client.statusOf(url));
  for (let at = 0; at < identities.length; at += 500) {
    const cids = identities.slice(at, at + 500).map(({ objectCid }) => objectCid);
    const found = await client.verify(cids);
    expect(found.map(({ object_cid }) => object_cid).toSorted()).toEqual(cids.toSorted());
  }
  for (const { content, objectCid } of identities) {
    if (content === undefined) continue;
    const files = await storedBytes(world, objectCid);
    expect(files).toHaveLength(1);
    expect(files[0]?.equals(content)).toBe(true);
  }
  expect(await whatDoctorFinds(world)).toEqual([]);
});
