import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The root of the workspace. */
export const WORKSPACE = resolve(import.meta.dirname, '../../..');
/** Folder of everything tests leave behind; may be removed at any time no test runs. */
export const TEST_FOLDER = join(WORKSPACE, '.local', 'test');
/** Written by `serve.ts` while its infrastructure is up. */
export const ENVIRONMENT_FILE = join(TEST_FOLDER, 'environment.json');

/** The variables through which a test process learns where the servers are. */
export const TEST_VARIABLES = {
  databaseUrl: 'TEST_DATABASE_URL',
  kafkaBrokers: 'TEST_KAFKA_BROKERS',
  schemaRegistryUrl: 'TEST_SCHEMA_REGISTRY_URL',
  redisUrl: 'TEST_REDIS_URL',
} as const;

/** The variable through which a test process learns which Python runs the examples. */
export const PYTHON_VARIABLE = 'TEST_PYTHON';

/** The variable through which a test process learns where Prometheus' programs are, as JSON. */
export const PROMETHEUS_VARIABLE = 'TEST_PROMETHEUS';
/** The variable through which a test process learns where the program of Jaeger is. */
export const JAEGER_VARIABLE = 'TEST_JAEGER';
/** The variable through which a test process learns where the cluster and its clients are, as JSON. */
export const KUBERNETES_VARIABLE = 'TEST_KUBERNETES';

/** Addresses of the servers that tests share. */
export type TestAddresses = Record<keyof typeof TEST_VARIABLES, string>;

/**
 * The address of one server: from its variable, else from the file that `serve.ts` keeps while it runs.
 * Throws an error that says how to run tests if there is neither.
 */
export function testAddress(name: keyof TestAddresses): string {
  const address = process.env[TEST_VARIABLES[name]] ?? readServed()?.[name];
  if (address) return address;
  throw new Error(
    `${TEST_VARIABLES[name]} is not set: run the tests with \`npm test -- PATH\`, or leave \`node packages/testing/src/serve.ts\` running`,
  );
}

/** Prometheus' programs. Throws an error that says how to run tests if there are none. */
export function testPrometheus(): { readonly promtool: string; readonly prometheus: string } {
  const programs = process.env[PROMETHEUS_VARIABLE];
  if (programs) return JSON.parse(programs) as ReturnType<typeof testPrometheus>;
  throw new Error(`${PROMETHEUS_VARIABLE} is not set: run these tests with \`npm run test:alerts\``);
}

/** The Python that has the packages of the examples. Throws an error that says how to run tests if there is none. */
export function testPython(): string {
  const python = process.env[PYTHON_VARIABLE];
  if (python) return python;
  throw new Error(`${PYTHON_VARIABLE} is not set: run the tests with \`npm run test:python -- PATH\``);
}

/** The program of Jaeger. Throws an error that says how to run tests if there is none. */
export function testJaeger(): string {
  const jaeger = process.env[JAEGER_VARIABLE];
  if (jaeger) return jaeger;
  throw new Error(`${JAEGER_VARIABLE} is not set: run the tests with \`npm run test:traces\``);
}

/** A cluster: the programs that reach it, whose configuration is in `KUBECONFIG`. */
export type TestKubernetes = {
  readonly kubectl: string;
  readonly helm: string;
  /** A folder that all nodes share, for volumes. */
  readonly volumes: string;
};

/** The cluster. Throws an error that says how to run tests if there is none. */
export function testKubernetes(): TestKubernetes {
  const cluster = process.env[KUBERNETES_VARIABLE];
  if (cluster) return JSON.parse(cluster) as TestKubernetes;
  throw new Error(`${KUBERNETES_VARIABLE} is not set: run these tests with \`npm run test:kubernetes\``);
}

/** The addresses of the infrastructure that `serve.ts` keeps up now, or undefined. */
export function readServed(): TestAddresses | undefined {
  try {
    const value = JSON.parse(readFileSync(ENVIRONMENT_FILE, 'utf8')) as Partial<TestAddresses> & { pid: number };
    process.kill(value.pid, 0);
    const { databaseUrl, kafkaBrokers, schemaRegistryUrl, redisUrl } = value;
    return databaseUrl && kafkaBrokers && schemaRegistryUrl && redisUrl
      ? { databaseUrl, kafkaBrokers, schemaRegistryUrl, redisUrl }
      : undefined;
  } catch {
    return undefined;
  }
}
