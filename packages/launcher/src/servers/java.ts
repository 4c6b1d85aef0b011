import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ToolEnvironment } from './config.ts';
import { findProgram } from './find-program.ts';
import { InfrastructureError } from './infrastructure-error.ts';

const run = promisify(execFile);
const OLDEST_JAVA = 17;
const REMEDY = `install a Java ${OLDEST_JAVA} or later (or set JAVA_HOME), or start a Docker engine, or give KAFKA_BROKERS and SCHEMA_REGISTRY_URL`;

/** A Java runtime that Kafka and the schema registry run on. */
export interface Java {
  readonly command: string;
  readonly version: number;
}

/** Finds Java in JAVA_HOME, then on PATH. Throws {@link InfrastructureError} if there is none or only an older one. */
export async function findJava(environment: ToolEnvironment, signal: AbortSignal): Promise<Java> {
  const places = [environment.javaHome ? join(environment.javaHome, 'bin') : '', environment.path];
  for (const place of places) {
    const command = await findProgram(['java'], place);
    if (command === undefined) continue;
    const version = await readVersion(command, signal);
    if (version >= OLDEST_JAVA) return { command, version };
    throw new InfrastructureError(`${command} is Java ${version || '(unknown)'}, too old for Kafka`, REMEDY);
  }
  throw new InfrastructureError('No Java is installed, and Kafka needs one', REMEDY);
}

/** The feature release in the output of `java -version`: 17 for "17.0.15", 8 for "1.8.0_412", 0 if there is none. */
export function parseJavaVersion(output: string): number {
  const match = /version "(\d+)(?:\.(\d+))?/.exec(output);
  if (!match) return 0;
  return Number(match[1] === '1' ? (match[2] ?? 0) : match[1]);
}

async function readVersion(command: string, signal: AbortSignal): Promise<number> {
  try {
    const { stderr, stdout } = await run(command, ['-version'], { timeout: 20_000, signal });
    return parseJavaVersion(`${stderr}\n${stdout}`);
  } catch {
    signal.throwIfAborted();
    return 0;
  }
}

/** Options of every Java server here: a bounded heap, one collector thread, quick compilation, no files in the shared temp folder. */
export function jvmOptions(options: { heapMegabytes: number; temporaryDirectory: string }): string[] {
  return [
    `-Xmx${options.heapMegabytes}m`,
    '-Xms48m',
    '-XX:+UseSerialGC',
    '-XX:+ExitOnOutOfMemoryError',
    '-XX:-UsePerfData',
    '-XX:TieredStopAtLevel=1',
    '-Xshare:auto',
    '-Djava.awt.headless=true',
    '-Djava.net.preferIPv4Stack=true',
    `-Djava.io.tmpdir=${options.temporaryDirectory}`,
  ];
}
