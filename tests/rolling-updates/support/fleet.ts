import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ServiceName, serviceNames } from '@indelible/launcher';
import { publicTopicDefaults } from '@indelible/public-events';
import { testAnvil, testDatabase, testKafka, testRedis } from '@indelible/testing';
import { type Balancer, startBalancer } from './balancer.ts';
import { type Installation, type Programs, type Provisioned, type Release, readPrograms } from './release.ts';
import { type Replica, startReplica } from './replica.ts';

const replicasOfEach = 2;
/** Every line that the services wrote in the last run. */
const logPath = join(import.meta.dirname, '../../../.local/test/rolling-updates.log');

/** Two replicas of every service on real servers, each service behind a balancer. */
export type Fleet = Awaited<ReturnType<typeof startFleet>>;

export async function startFleet(release: Release) {
  const dataDir = await mkdtemp(join(tmpdir(), 'indelible-rolling-'));
  const [database, anvil] = await Promise.all([testDatabase(), testAnvil({ blockTimeSeconds: 1 })]);
  const kafka = testKafka();
  const redis = testRedis();
  const balancers = new Map<ServiceName | 'api', Balancer>();
  for (const name of ['api', ...serviceNames] as const) balancers.set(name, await startBalancer());
  const balancer = (name: ServiceName | 'api'): Balancer => balancers.get(name) as Balancer;
  const addresses = {
    databaseUrl: database.url,
    kafkaBrokers: kafka.brokers.join(','),
    schemaRegistryUrl: kafka.schemaRegistryUrl,
    redisUrl: redis.url,
    rpcUrl: anvil.rpcUrl,
  };
  const installation: Installation = {
    addresses,
    dataDir,
    secretsDir: join(dataDir, 'secrets'),
    topicPrefix: kafka.prefix,
    publicTopic: publicTopicDefaults,
    ports: Object.fromEntries([...balancers].map(([name, { port }]) => [name, port])) as Installation['ports'],
  };
  await mkdir(dirname(logPath), { recursive: true });
  const log = createWriteStream(logPath);
  const replicas: Replica[] = [];
  const faults: string[] = [];
  const programs = new Map<string, Programs>();

  async function programsOf(of: Release, provisioned?: Provisioned): Promise<Programs> {
    const known = programs.get(of.root);
    if (known !== undefined) return known;
    const read = await readPrograms(of, installation, provisioned);
    programs.set(of.root, read.programs);
    return read.programs;
  }
  function endpointsOf(replica: Replica): readonly (readonly [Balancer, Replica['internal']])[] {
    const internal = [balancer(replica.name), replica.internal] as const;
    return replica.name === 'gateway' ? [internal, [balancer('api'), replica.api]] : [internal];
  }
  async function add(of: Release, name: ServiceName): Promise<Replica> {
    const all = await programsOf(of, provisioned);
    const replica = await startReplica(of, name, all, (line) => void log.write(`${of.name} ${name} ${line}\n`));
    replicas.push(replica);
    for (const [at, endpoint] of endpointsOf(replica)) at.add(endpoint);
    return replica;
  }
  async function remove(replica: Replica): Promise<void> {
    await replica.stop(() => {
      for (const [at, endpoint] of endpointsOf(replica)) at.remove(endpoint);
    });
    replicas.splice(replicas.indexOf(replica), 1);
    faults.push(...replica.faults);
  }
  async function stop(): Promise<void> {
    const [gateways, others] = [true, false].map((front) =>
      replicas.filter((one) => (one.name === 'gateway') === front),
    );
    for (const group of [gateways, others]) await Promise.all((group ?? []).map(remove));
    await Promise.all([...balancers.values()].map((one) => one.stop()));
    await Promise.all([database.drop(), kafka.dispose(), redis.dispose(), anvil.stop()]);
    await rm(dataDir, { recursive: true, force: true });
    await new Promise((closed) => log.end(closed));
  }

  let provisioned: Provisioned | undefined;
  try {
    const first = await readPrograms(release, installation);
    programs.set(release.root, first.programs);
    provisioned = first.provisioned;
    const all = serviceNames.flatMap((name) => Array.from({ length: replicasOfEach }, () => add(release, name)));
    await Promise.all(all.map(async (replica) => (await replica).untilReady()));
  } catch (error) {
    await stop();
    throw new Error(`the fleet did not start: see ${logPath}`, { cause: error });
  }
  return {
    installation,
    provisioned,
    addresses,
    anvil,
    pool: database.pool,
    topicPrefix: kafka.prefix,
    rootUrl: `http://127.0.0.1:${balancer('api').port}`,
    urlOf: (name: ServiceName): string => `http://127.0.0.1:${balancer(name).port}`,
    /** Replaces the replicas of a service one after another; a new one is ready before an old one ends (`maxSurge: 1`, `maxUnavailable: 0`). */
    async update(name: ServiceName, to: Release): Promise<void> {
      for (const old of replicas.filter((one) => one.name === name)) {
        await (await add(to, name)).untilReady();
        await remove(old);
      }
    },
    /** The chart's strategy `Recreate`. */
    async recreate(name: ServiceName, to: Release): Promise<void> {
      await Promise.all(replicas.filter((one) => one.name === name).map(remove));
      for (let count = 0; count < replicasOfEach; count++) await (await add(to, name)).untilReady();
    },
    /** What processes did that they should not have done. */
    faults: (): readonly string[] => [...faults, ...replicas.flatMap((one) => one.faults)],
    releasesOf: (name: ServiceName): readonly string[] =>
      replicas.filter((one) => one.name === name).map(({ release: { name: of } }) => of),
    stop,
  };
}
