import { randomBytes } from 'node:crypto';
import { failpointNames } from '@indelible/service-runtime';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import sha3 from 'js-sha3';
import { expectHonestLanes, expectOneCommitment } from './support/chain.ts';
import { type Death, deathOf, expectDied, untilDead } from './support/crash.ts';
import { type CrashStack, recoveryMs, startCrashStack } from './support/crash-stack.ts';
import { ask } from './support/patient.ts';
import {
  expectAllHeard,
  expectKeptAside,
  expectOnceEverywhere,
  expectOneFile,
  stagedFiles,
  stampIdOf,
} from './support/records.ts';
import { placesBetweenParts, placesOfRestore, placesOfWebhooks, rounds } from './support/rounds.ts';

jest.setTimeout(240_000);

let running: CrashStack;
beforeAll(async () => {
  running = await startCrashStack();
});
afterAll(() => running?.stop());

const newContent = () => {
  const content = randomBytes(20_000);
  return { file: new Blob([content]), objectCid: `0x${sha3.sha3_256(content)}`, name: randomBytes(6).toString('hex') };
};
type Content = ReturnType<typeof newContent>;

/** What was asked for is made once, wherever one looks. */
async function expectMadeOnce(objectCid: string): Promise<void> {
  await eventually(
    async () => {
      const stampId = await stampIdOf(running, objectCid);
      await expectOnceEverywhere(running, stampId, objectCid);
      await expectOneFile(running, stampId, objectCid);
      await expectAllHeard(running);
    },
    { timeoutMs: recoveryMs, intervalMs: 200 },
  );
  await expectHonestLanes(running);
}

/** A client stamps content into a new collection; blocks come once its transaction waits for one. */
async function stampThrough(deaths: readonly Death[], { file, objectCid, name }: Content): Promise<void> {
  const stamping = ask(() => running.client.stamp({ file, collection_name: name }, 'evidence.bin'));
  const blocks = async (): Promise<void> => {
    await running.untilPooled();
    for (const death of deaths)
      if (death.point === 'stamping.replacement-stored') await untilDead(running, since, death);
    await running.makeBlocks();
  };
  const since = running.log.length;
  const [{ body }] = await Promise.all([stamping, blocks()]);
  expect(body.commitment_receipt.object_cid).toBe(objectCid);
  await expectOneCommitment(running, body.commitment_receipt);
}

/** The client has only the CID stamped, and brings the content later. */
async function uploadThrough({ file, objectCid, name }: Content): Promise<void> {
  const { body } = await ask(() => running.client.uploadLater({ file, collection_name: name }, 'evidence.bin'));
  expect(body.commitment_receipt.object_cid).toBe(objectCid);
  expect(body.file_object?.file_path).toContain(`/collections/${name}/stamped/`);
  await expectOneCommitment(running, body.commitment_receipt);
}

/** The client stamps into a collection that is registered, but on no block yet: a 400 that keeps the content. */
async function stampAsideThrough({ file, objectCid, name }: Content): Promise<void> {
  const creating = running.client.createCollection({ name }).catch(() => undefined);
  const cid = await eventually(
    async () => {
      const { body } = await running.client.get<{ name: string; cid: string }[]>('/collections');
      expect(body.map((collection) => collection.name)).toContain(name);
      return body.find((collection) => collection.name === name)?.cid ?? '';
    },
    { timeoutMs: recoveryMs },
  );
  const { body } = await ask(() => running.client.stamp({ file, collection_cid: cid }, 'evidence.bin'), [400]);
  expect(body.error).toContain('has not been created by the current user');
  await running.makeBlocks();
  await creating;
  await eventually(() => expectKeptAside(running, objectCid), { timeoutMs: recoveryMs, intervalMs: 200 });
  // The collection is created all the same, and the same request is then answered with a stamp.
  await eventually(async () => expect((await running.client.createCollection({ name })).status).toBe(409), {
    timeoutMs: recoveryMs,
    intervalMs: 250,
  });
}

describe('SIGKILL', () => {
  it('is tried at every failpoint there is', () => {
    const places = [
      ...rounds.flatMap((round) => round.places),
      ...placesBetweenParts,
      ...placesOfWebhooks,
      ...placesOfRestore,
    ];
    const tried = new Set(places.map((place) => deathOf(place).point));
    expect([...tried].toSorted()).toEqual([...failpointNames].toSorted());
  });

  it.each(rounds.map((round) => [round.request, round.places.join(', '), round] as const))(
    'on the way of a %s at %s loses nothing and makes nothing twice (I1, I2, I3, I5, I7)',
    async (request, _, { places }) => {
      const deaths = places.map(deathOf);
      const content = newContent();
      if (request === 'upload')
        await ask(() => running.client.stamp({ data_cid: content.objectCid, collection_name: content.name }));
      await running.untilAllReady();
      if (request !== 'upload') await running.holdBlocks();
      const since = running.log.length;
      await Promise.all(deaths.map(({ service, point }) => running.arm(service, point)));
      if (request === 'stamp') await stampThrough(deaths, content);
      else if (request === 'upload') await uploadThrough(content);
      else await stampAsideThrough(content);
      await Promise.all(deaths.map((death) => expectDied(running, since, death)));
      if (request !== 'aside') await expectMadeOnce(content.objectCid);
      await running.events.untilWhole(recoveryMs);
    },
  );

  it('leaves nothing staged for good that nobody claims (I7)', async () => {
    await eventually(async () => expect(await stagedFiles(running)).toEqual([]), {
      timeoutMs: 2 * recoveryMs,
      intervalMs: 500,
    });
  });
});
