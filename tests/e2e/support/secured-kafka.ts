import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import {
  findJava,
  KAFKA_ARTIFACTS,
  KAFKA_DOWNLOAD,
  kafkaAnswers,
  kafkaArguments,
  MavenDownloads,
  randomClusterId,
  readToolEnvironment,
  serverEnvironment,
} from '@indelible/launcher/servers';
import { eventually, fixedPort } from '@indelible/testing';

export const user = { username: 'ada', password: 'a-s3cret-password' };

/**
 * A broker with a listener without security, for the test itself, and one with TLS and SASL, for what is tested.
 * @param options.authorized further users by their passwords (PLAIN); then each may do only what its ACLs allow, except
 *   on the listener without security
 */
export async function startSecuredKafka(
  certificate: { readonly cert: string; readonly key: string },
  options: { readonly authorized?: Readonly<Record<string, string>> } = {},
) {
  const { authorized } = options;
  const signal = AbortSignal.timeout(120_000);
  const tools = readToolEnvironment();
  const downloads = new MavenDownloads(resolve(import.meta.dirname, '../../../.local/downloads'), tools);
  const jars = await downloads.withDependencies(KAFKA_DOWNLOAD, KAFKA_ARTIFACTS, signal);
  const java = await findJava(tools, signal);
  const dataDir = await mkdtemp(join(tmpdir(), 'secured-kafka-'));
  await mkdir(join(dataDir, 'tmp'));
  const [plain, secured, controller] = [await fixedPort(), await fixedPort(), await fixedPort()];
  const properties = join(dataDir, 'server.properties');
  await writeFile(
    properties,
    render({ plain, secured, controller, logDir: join(dataDir, 'data'), certificate, authorized }),
  );
  const env = serverEnvironment(tools);
  const scram = `SCRAM-SHA-512=[name=${user.username},password=${user.password}]`;
  const format = ['format', '-t', randomClusterId(), '-c', properties, '--add-scram', scram];
  const storageTool = kafkaArguments({ jars, dataDir }, 'kafka.tools.StorageTool', format);
  await promisify(execFile)(java.command, storageTool, { cwd: dataDir, env });
  const log = join(dataDir, 'log');
  const audit = '-Dorg.slf4j.simpleLogger.log.kafka.authorizer.logger=debug';
  const broker = spawn(java.command, [audit, ...kafkaArguments({ jars, dataDir }, 'kafka.Kafka', [properties])], {
    cwd: dataDir,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = createWriteStream(log);
  for (const stream of [broker.stdout, broker.stderr]) stream.pipe(output, { end: false });
  const exited = once(broker, 'exit');
  const stop = async (): Promise<void> => {
    broker.kill('SIGTERM');
    await exited;
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await eventually(() => kafkaAnswers(`127.0.0.1:${plain}`), { timeoutMs: 90_000 });
  } catch (error) {
    const said = await readFile(log, 'utf8').catch(() => '');
    await stop();
    throw new Error(`the secured broker did not start:\n${said.slice(-4_000)}`, { cause: error });
  }
  return {
    plain: `127.0.0.1:${plain}`,
    secured: `127.0.0.1:${secured}`,
    /** All allowed or denied decisions of the broker, each once, as logged: who, which operation, on what. */
    async decisions(verdict: 'Allowed' | 'Denied'): Promise<readonly string[]> {
      const shape = new RegExp(`Principal = (\\S+) is ${verdict} operation = (\\S+) .*? on resource = (\\S+)`, 'g');
      const lines = (await readFile(log, 'utf8')).matchAll(shape);
      return [...new Set([...lines].map(([, who, operation, resource]) => `${who} ${operation} ${resource}`))];
    },
    /** Changes users or settings while it runs, by Kafka's own tool, past its security. */
    async configure(...args: readonly string[]): Promise<void> {
      const tool = kafkaArguments({ jars, dataDir }, 'kafka.admin.ConfigCommand', [
        ...['--bootstrap-server', `127.0.0.1:${plain}`, '--alter'],
        ...args,
      ]);
      await promisify(execFile)(java.command, tool, { cwd: dataDir, env });
    },
    stop,
  };
}

/** A PEM text as a value of a properties file. */
export const pem = (text: string): string => text.trim().replaceAll(/\r?\n/g, '\\n\\\n');

function render(options: {
  readonly plain: number;
  readonly secured: number;
  readonly controller: number;
  readonly logDir: string;
  readonly certificate: { readonly cert: string; readonly key: string };
  readonly authorized: Readonly<Record<string, string>> | undefined;
}): string {
  const { plain, secured, controller, logDir, certificate, authorized } = options;
  const users = { [user.username]: user.password, ...authorized };
  const passwords = Object.entries(users).map(([name, password]) => `user_${name}="${password}"`);
  const listeners = `PLAIN://127.0.0.1:${plain},SECURED://127.0.0.1:${secured}`;
  const login = 'org.apache.kafka.common.security';
  const of = 'listener.name.secured';
  return [
    'process.roles=broker,controller',
    'node.id=1',
    `controller.quorum.voters=1@127.0.0.1:${controller}`,
    `listeners=${listeners},CONTROLLER://127.0.0.1:${controller}`,
    `advertised.listeners=${listeners}`,
    'listener.security.protocol.map=PLAIN:PLAINTEXT,SECURED:SASL_SSL,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name=PLAIN',
    'controller.listener.names=CONTROLLER',
    `log.dirs=${logDir}`,
    'auto.create.topics.enable=false',
    'default.replication.factor=1',
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
    'log.cleaner.dedupe.buffer.size=4194304',
    `${of}.ssl.keystore.type=PEM`,
    `${of}.ssl.keystore.certificate.chain=${pem(certificate.cert)}`,
    `${of}.ssl.keystore.key=${pem(certificate.key)}`,
    `${of}.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-512,OAUTHBEARER`,
    `${of}.plain.sasl.jaas.config=${login}.plain.PlainLoginModule required ${passwords.join(' ')};`,
    `${of}.scram-sha-512.sasl.jaas.config=${login}.scram.ScramLoginModule required;`,
    // its own validator of unsigned tokens, which Kafka has for tests
    `${of}.oauthbearer.sasl.jaas.config=${login}.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";`,
    ...(authorized === undefined
      ? []
      : [
          'authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer',
          'super.users=User:ANONYMOUS',
        ]),
    '',
  ].join('\n');
}
