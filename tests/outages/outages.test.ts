import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { PartName } from '@indelible/launcher/servers';
import { topics } from '@indelible/messages';
import { eventually, flushRedis } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { distinct } from '../public-events/support/public-event.ts';
import { receiptsOfChain } from './support/chain-check.ts';
import { metricOf, poison } from './support/disturbances.ts';
import { type FailingStack, startFailingStack, waitLimitMs } from './support/failing-stack.ts';
import { createPatientClient, type PatientClient, type Seen } from './support/patient-client.ts';
import { type Asked, cidOf, type SteadyLoad, startSteadyLoad } from './support/steady-load.ts';

jest.setTimeout(180_000);

let stack: FailingStack;
let client: PatientClient;
let load: SteadyLoad;
let pids: (number | undefined)[];
let registryIsBack: Promise<void> | undefined;
/** Records: commands that come at the same time share one. */
const maxCommandLag = 12;
const pidsNow = (): (number | undefined)[] => Object.values(stack.services).map((service) => service.pid());

beforeAll(async () => {
  stack = await startFailingStack({
    gateway: { MAX_COMMAND_LAG: String(maxCommandLag) },
    stamping: { MAX_WAITING_STAMPS: '60' },
  });
  const { rootUrl, apiKey } = stack.connection;
  // Look-ups have 10 s for all that they wait for; beyond the wait limit a stamp is published, or noted, in a bounded time.
  client = createPatientClient({ rootUrl, apiKey, limitMs: waitLimitMs + 12_000 });
  pids = pidsNow();
  load = startSteadyLoad(client, 6);
});
afterAll(async () => {
  await registryIsBack;
  await stack?.stop();
});

const recoveryMs = 40_000;
const progress = async (count: number): Promise<void> => {
  const before = load.done();
  await eventually(() => expect(load.done()).toBeGreaterThanOrEqual(before + count), { timeoutMs: recoveryMs });
};

/** Takes the part away, waits for what clients see then, gives it back, and waits until all that was begun has ended. */
async function withoutPart(
  part: PartName,
  way: 'kill' | 'stop' | 'freeze',
  during: () => Promise<void>,
): Promise<void> {
  await progress(5);
  const server = stack.servers[part];
  const gone = performance.now();
  await server[way]();
  try {
    await during();
  } finally {
    await (way === 'freeze' ? server.thaw() : server.start());
  }
  const back = performance.now();
  const begun = [...load.asked];
  await eventually(() => expect(begun.filter(({ done }) => !done)).toEqual([]), { timeoutMs: recoveryMs });
  await progress(10);
  await publicEventsOf(load.asked.filter(({ done }) => done));
  const told = client.seen.filter(({ began, ended }) => ended > gone && began < back);
  process.stderr.write(
    `${part} ${way}: away ${Math.round(back - gone)} ms, whole again ${Math.round(performance.now() - back)} ms; ${summary(told)}\n`,
  );
  const slowest = Math.round(Math.max(...told.map(({ began, ended }) => ended - began)));
  process.stderr.write(`  slowest answer ${slowest} ms\n`);
  expect(client.violations).toEqual([]);
}

/** Public events are as far as the stamps that clients know of (I11). */
async function publicEventsOf(stamps: readonly Asked[]): Promise<void> {
  await eventually(
    () => {
      const confirmed = stack.events.topic.events.filter(({ name }) => name === 'stamp.confirmed');
      const cids = new Set(confirmed.map(({ data }) => data.object_cid));
      expect(stamps.filter(({ objectCid }) => !cids.has(objectCid))).toEqual([]);
    },
    { timeoutMs: recoveryMs },
  );
}

const summary = (seen: readonly Seen[]): string => {
  const counts = new Map<string, number>();
  for (const { what, status, location } of seen) {
    const key = `${what} ${status}${location === null ? '' : ' Location'}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => `${key}: ${count}`).join(', ');
};

/** Resolves once so many answers of this status have come from now on. */
const answers = async (status: number, count: number): Promise<void> => {
  const from = performance.now();
  const found = (): Seen[] => client.seen.filter((one) => one.ended >= from && one.status === status);
  await eventually(() => expect(found().length).toBeGreaterThanOrEqual(count), { timeoutMs: recoveryMs });
};

/** One request to stamp a new CID, as it is answered. */
async function askAsync(): Promise<Seen> {
  const fields = { data_cid: cidOf(randomBytes(32)), store_stamped_file: 'false' };
  const answer = await client.once(fields, { prefer: 'respond-async' });
  if (answer === undefined) throw new Error('no answer');
  return answer;
}

describe('a neighbour that goes away under load and comes back', () => {
  it('the schema registry (SIGKILL): nobody notices, schemas are known by then', async () => {
    await stack.servers.registry.kill();
    await progress(10);
    // Nobody waits for it, so its start may take as long as it likes.
    registryIsBack = stack.servers.registry.start();
    await progress(5);
  });

  it.each(['kill', 'stop'] as const)('Redis (%s): slower, never wrong (I2)', (way) =>
    withoutPart('redis', way, () => progress(8)),
  );

  it('Redis that forgets everything in mid-flight changes nothing (I2)', async () => {
    for (let times = 0; times < 5; times++) {
      await progress(2);
      await flushRedis(stack.servers.redis.address);
    }
    await progress(5);
    expect(client.violations).toEqual([]);
  });

  it.each(['kill', 'stop'] as const)('Postgres (%s): 503 or a wait, then everything goes on (I5, I6)', (way) =>
    withoutPart('postgres', way, () => answers(503, 6)),
  );

  it('Kafka (kill): 503 or a wait, then everything goes on (I5, I6)', () =>
    withoutPart('kafka', 'kill', () => answers(503, 6)));

  it('the node (stop): what was begun waits or is 503 with its status resource, and is confirmed later (I1, I6)', () =>
    withoutPart('anvil', 'stop', () => answers(503, 1)));

  it('the blob store: what is to be stored is 503 before it is published, and CIDs alone go on (I7)', async () => {
    const { blobDirectory } = stack.connection;
    await progress(5);
    await rename(blobDirectory, `${blobDirectory}.away`);
    const before = load.asked.length;
    const begun = () => load.asked.slice(before);
    await answers(503, 5);
    await eventually(
      () => expect(begun().filter(({ done, content }) => done && content === undefined).length).toBeGreaterThan(2),
      { timeoutMs: recoveryMs },
    );
    const toStore = begun().filter(({ content }) => content !== undefined);
    const onChain = await receiptsOfChain(stack.connection);
    expect(toStore.length).toBeGreaterThan(0);
    expect(toStore.filter(({ objectCid }) => onChain.has(objectCid))).toEqual([]);
    await rename(`${blobDirectory}.away`, blobDirectory);
    await eventually(() => expect(toStore.filter(({ done }) => !done)).toEqual([]), { timeoutMs: recoveryMs });
    expect(client.violations).toEqual([]);
  });
});

describe('a neighbour that hangs under load: it keeps its connections and answers nothing', () => {
  it('Redis: slower, never wrong (I2)', () => withoutPart('redis', 'freeze', () => progress(8)));
  it('Postgres: 503 or a wait, then everything goes on (I5, I6)', () =>
    withoutPart('postgres', 'freeze', async () => {
      const frozen = performance.now();
      await eventually(() => expect(client.underWaySince(frozen)).toBe(0), { timeoutMs: recoveryMs });
      await answers(503, 3);
    }));
  it('Kafka: 503 or a wait, then everything goes on (I5, I6)', () =>
    withoutPart('kafka', 'freeze', () => answers(503, 3)));
});

describe('more than is carried away', () => {
  it('stamping stands still: commands do not pile up without end, and what was accepted is confirmed later (I6)', async () => {
    const pid = stack.services.stamping.pid() as number;
    process.kill(pid, 'SIGSTOP');
    try {
      const crowd = () => Promise.all(Array.from({ length: maxCommandLag }, () => askAsync()));
      await eventually(async () => expect((await crowd()).map(({ status }) => status)).toContain(503), {
        timeoutMs: recoveryMs,
      });
      const { internalUrl } = stack.services.gateway;
      const lag = await metricOf(internalUrl, 'indelible_gateway_command_lag_records', { topic: 'commands.stamps' });
      expect(lag).toBeGreaterThanOrEqual(maxCommandLag);
      expect(await metricOf(internalUrl, 'indelible_gateway_refused_commands_total', {})).toBeGreaterThan(0);
      // Refused at once: nothing is added, however many come.
      const refused = await Promise.all(Array.from({ length: 20 }, () => askAsync()));
      expect(refused.map(({ status, location }) => [status, location])).toEqual(refused.map(() => [503, null]));
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await progress(10);
    expect(client.violations).toEqual([]);
  });

  it('the chain stands still: what waits for it is bounded, further stamps are 503, and all goes on when it does', async () => {
    await stack.servers.anvil.freeze();
    try {
      await eventually(
        async () => {
          const wave = await Promise.all(Array.from({ length: 20 }, () => askAsync()));
          expect(wave.map(({ status, location }) => [status, location])).toContainEqual([503, null]);
        },
        { timeoutMs: recoveryMs },
      );
    } finally {
      await stack.servers.anvil.thaw();
    }
    await progress(10);
    expect(client.violations).toEqual([]);
  });
});

describe('members and messages that come and go', () => {
  it('a second replica of every service joins and leaves under load: nothing is lost or doubled (I5)', async () => {
    const replicas = await Promise.all(
      Object.values(stack.services).map(({ name }) =>
        stack.startReplica(name, name === 'gateway' ? { HTTP_PORT: '0' } : {}),
      ),
    );
    await progress(10);
    await Promise.all(replicas.map((replica) => replica.stop()));
    await progress(10);
    expect(client.violations).toEqual([]);
  });

  it('a message that nobody can read is put aside by each group and counted, and the others go on', async () => {
    await poison(stack.servers.kafka.address, Object.keys(topics));
    const readers = ['gateway', 'stamping', 'storage', 'verification', 'notifications'] as const;
    const putAside = (name: (typeof readers)[number]): Promise<number> =>
      metricOf(stack.services[name].internalUrl, 'indelible_dead_letters_total', {});
    await eventually(async () =>
      expect((await Promise.all(readers.map(putAside))).every((count) => count > 0)).toBe(true),
    );
    await progress(5);
    expect(client.violations).toEqual([]);
  });
});

describe('when all is quiet again', () => {
  it('each identity asked for is on the chain once, and every receipt is of that commitment (I1, I2, I4)', async () => {
    await load.finish();
    const onChain = await receiptsOfChain(stack.connection);
    const wrong = load.asked.filter(({ objectCid }) => onChain.get(objectCid)?.length !== 1);
    expect(wrong.map(({ objectCid }) => [objectCid, onChain.get(objectCid) ?? []])).toEqual([]);
    for (const { objectCid, receipts } of load.asked)
      for (const receipt of receipts) expect([receipt]).toEqual(onChain.get(objectCid));
  });

  it('every status resource that was named ended in confirmed (I6)', async () => {
    const locations = new Set(client.seen.flatMap(({ location }) => location ?? []));
    expect(locations.size).toBeGreaterThan(maxCommandLag);
    const onChain = await receiptsOfChain(stack.connection);
    for (const location of locations)
      await eventually(
        async () => {
          const { body } = await client.status(location, AbortSignal.timeout(10_000));
          expect([body.status, body.error]).toEqual([expect.stringMatching(/^(?:confirmed|finalized)$/), undefined]);
          expect(onChain.get(body.object_cid ?? '')).toEqual([body.commitment_receipt]);
        },
        { timeoutMs: recoveryMs },
      );
  });

  it('every file whose stamp was confirmed is stored, byte for byte (I7)', async () => {
    const files = load.asked.filter(({ content }) => content !== undefined);
    expect(files.length).toBeGreaterThan(5);
    const objects = join(stack.connection.blobDirectory, 'objects');
    for (const { content, filePaths } of files)
      for (const path of filePaths) expect(content?.equals(await readFile(join(objects, path)))).toBe(true);
    // A request that was tried again may have been answered with the receipt alone: its file is stored all the same, once.
    const entries = await readdir(objects, { recursive: true, withFileTypes: true });
    const stored = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const cids = await Promise.all(stored.map(async (path) => cidOf(await readFile(path))));
    expect(cids.toSorted()).toEqual(files.map(({ objectCid }) => objectCid).toSorted());
  });

  it('each public event reached every subscriber once by its id, in order, and none is missing (I5, I11)', async () => {
    await stack.events.untilWhole(120_000);
    expect(distinct(stack.events.topic.events).length).toBeGreaterThan(2 * load.asked.length);
  });

  it('no client saw anything else than the contract tells, and no service had to be started again', () => {
    expect(client.violations).toEqual([]);
    expect(stack.restarts).toEqual([]);
    expect(pidsNow()).toEqual(pids);
  });
});
