import type { Addresses } from './parts.ts';

/** The environment that decides how programs are found and run. */
export interface ToolEnvironment {
  /** The PATH variable. */
  readonly path: string;
  readonly javaHome: string | undefined;
  /** All variables, for tools that read the user's settings themselves: Maven, Docker. */
  readonly all: Readonly<Record<string, string>>;
}

/** Addresses that the user gives; an empty variable counts as absent. */
export function readAddresses(env: NodeJS.ProcessEnv = process.env): Partial<Addresses> {
  const given: [keyof Addresses, string | undefined][] = [
    ['databaseUrl', env.DATABASE_URL],
    ['kafkaBrokers', env.KAFKA_BROKERS],
    ['schemaRegistryUrl', env.SCHEMA_REGISTRY_URL],
    ['redisUrl', env.REDIS_URL],
    ['rpcUrl', env.RPC_URL],
  ];
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== ''));
}

/** The environment in which programs are looked for. */
export function readToolEnvironment(env: NodeJS.ProcessEnv = process.env): ToolEnvironment {
  const all = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  return { path: env.PATH ?? '', javaHome: env.JAVA_HOME || undefined, all };
}

/** The few variables that our servers need; other ones of the user (keys, tokens) do not reach them. */
export function serverEnvironment(tools: ToolEnvironment): Record<string, string> {
  const names = ['HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'LD_LIBRARY_PATH'];
  const kept = names.filter((name) => tools.all[name] !== undefined).map((name) => [name, tools.all[name] ?? '']);
  return { ...Object.fromEntries(kept), PATH: tools.path };
}
