import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Kafka, logLevel } from 'kafkajs';
import { InfrastructureError } from '../servers/infrastructure-error.ts';
import { type Java, jvmOptions } from '../servers/java.ts';
import { lastLines } from '../servers/last-lines.ts';
import type { Artifact } from '../servers/maven.ts';
import { providePrivateFolder } from '../servers/private-folder.ts';
import type { Server, Supervisor } from '../servers/supervisor.ts';

const run = promisify(execFile);

/** The broker, with a logger that writes to stderr without a settings file. */
export const KAFKA_ARTIFACTS: readonly Artifact[] = [
  { group: 'org.apache.kafka', name: 'kafka_2.13', version: '4.3.1' },
  { group: 'org.slf4j', name: 'slf4j-simple', version: '1.7.36' },
];

/** Name of the folder of downloads. */
export const KAFKA_DOWNLOAD = 'kafka-4.3.1';

/** Everything a broker needs to start; directories are absolute. */
export interface KafkaOptions {
  readonly jars: string;
  readonly java: Java;
  readonly dataDir: string;
  readonly port: number;
  readonly controllerPort: number;
  readonly supervisor: Supervisor;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * One broker that is its own controller. The settings name the quorum, not the stored metadata, so that the
 * controller's port may differ at the next start. Topics are created by their owners, never by a mistyped name. The
 * cleaner's buffer and the number of internal partitions are those of one small machine: with the usual ones the heap
 * would be ten times as large.
 */
export function renderServerProperties(options: { port: number; controllerPort: number; logDir: string }): string {
  return [
    'process.roles=broker,controller',
    'node.id=1',
    `controller.quorum.voters=1@127.0.0.1:${options.controllerPort}`,
    `listeners=BROKER://127.0.0.1:${options.port},CONTROLLER://127.0.0.1:${options.controllerPort}`,
    `advertised.listeners=BROKER://127.0.0.1:${options.port}`,
    'listener.security.protocol.map=BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name=BROKER',
    'controller.listener.names=CONTROLLER',
    `log.dirs=${options.logDir}`,
    'auto.create.topics.enable=false',
    'default.replication.factor=1',
    'min.insync.replicas=1',
    'offsets.topic.replication.factor=1',
    'offsets.topic.num.partitions=1',
    'transaction.state.log.replication.factor=1',
    'transaction.state.log.min.isr=1',
    'transaction.state.log.num.partitions=1',
    'share.coordinator.state.topic.replication.factor=1',
    'share.coordinator.state.topic.min.isr=1',
    'share.coordinator.state.topic.num.partitions=1',
    'group.initial.rebalance.delay.ms=0',
    'group.min.session.timeout.ms=1000',
    'num.network.threads=2',
    'num.io.threads=4',
    'background.threads=2',
    'num.recovery.threads.per.data.dir=2',
    'log.cleaner.dedupe.buffer.size=4194304',
    'log.index.size.max.bytes=1048576',
    'controlled.shutdown.max.retries=1',
    '',
  ].join('\n');
}

/** Arguments of the Java command for one class of Kafka's. */
export function kafkaArguments(
  options: Pick<KafkaOptions, 'jars' | 'dataDir'>,
  mainClass: string,
  args: readonly string[],
): string[] {
  return [
    ...jvmOptions({ heapMegabytes: 256, temporaryDirectory: join(options.dataDir, 'tmp') }),
    '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
    '-Dorg.slf4j.simpleLogger.showDateTime=true',
    '-cp',
    join(options.jars, '*'),
    mainClass,
    ...args,
  ];
}

/** Starts the broker on its data, formatted at the first start. It does not respond yet: see {@link kafkaAnswers}. */
export async function startKafka(options: KafkaOptions): Promise<Server> {
  const logDir = join(options.dataDir, 'data');
  const properties = join(options.dataDir, 'server.properties');
  // its log holds what clients sent: names, descriptions, file names
  await providePrivateFolder(options.dataDir);
  await mkdir(join(options.dataDir, 'tmp'), { recursive: true });
  await writeFile(properties, renderServerProperties({ ...options, logDir }));
  if (!(await isFormatted(logDir))) await format(options, properties);
  return options.supervisor.start({
    name: 'kafka',
    command: options.java.command,
    args: kafkaArguments(options, 'kafka.Kafka', [properties]),
    cwd: options.dataDir,
    env: options.env,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 20_000,
  });
}

/** Resolves when the broker returns its cluster and a group's coordinator answers; rejects otherwise. */
export async function kafkaAnswers(brokers: string): Promise<void> {
  const kafka = new Kafka({
    clientId: 'indelible-readiness',
    brokers: brokers.split(','),
    logLevel: logLevel.NOTHING,
    connectionTimeout: 1_000,
    requestTimeout: 5_000,
    retry: { retries: 0 },
  });
  const admin = kafka.admin();
  try {
    await admin.connect();
    await admin.describeCluster();
    await admin.describeGroups(['indelible-readiness']);
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

async function isFormatted(logDir: string): Promise<boolean> {
  return stat(join(logDir, 'meta.properties')).then(
    () => true,
    () => false,
  );
}

async function format(options: KafkaOptions, properties: string): Promise<void> {
  const clusterId = randomClusterId();
  try {
    await run(
      options.java.command,
      kafkaArguments(options, 'kafka.tools.StorageTool', ['format', '-t', clusterId, '-c', properties]),
      { cwd: options.dataDir, env: { ...options.env }, timeout: 60_000, signal: options.signal },
    );
  } catch (error) {
    options.signal.throwIfAborted();
    const { stderr, stdout } = error as { stderr?: string; stdout?: string };
    throw new InfrastructureError(
      'Kafka could not set up its data folder',
      'read the lines below; then start with --fresh',
      {
        lastLines: lastLines(`${stdout ?? ''}\n${stderr ?? ''}`, 10),
        cause: error,
      },
    );
  }
}

/** A random id in the form Kafka wants: 22 characters, not beginning with a dash (it would be read as an option). */
export function randomClusterId(): string {
  for (;;) {
    const id = randomBytes(16).toString('base64url');
    if (!id.startsWith('-')) return id;
  }
}
