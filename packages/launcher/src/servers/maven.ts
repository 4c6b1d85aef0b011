import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ToolEnvironment } from './config.ts';
import { findProgram } from './find-program.ts';
import { InfrastructureError } from './infrastructure-error.ts';
import { lastLines } from './last-lines.ts';

const run = promisify(execFile);

/**
 * Release 2.10 of the plugin fetches one artifact without reading its POM; later ones need the POM and its parent, and
 * the registry's parent is not published.
 */
const PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:2.10';
const TIMEOUT_MS = 10 * 60_000;

/** Maven coordinates. */
export interface Artifact {
  readonly group: string;
  readonly name: string;
  readonly version: string;
  readonly type?: string;
  readonly classifier?: string;
}

/** Fetches from the user's Maven repositories into a folder of downloads; what is there already is not fetched again. */
export class MavenDownloads {
  readonly #directory: string;
  readonly #tools: ToolEnvironment;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(directory: string, tools: ToolEnvironment) {
    this.#directory = directory;
    this.#tools = tools;
  }

  /** Jars of these artifacts and of all they depend on. Returns the folder that holds them. */
  withDependencies(name: string, artifacts: readonly Artifact[], signal: AbortSignal): Promise<string> {
    return this.#provide(
      name,
      signal,
      (work) => [
        `${PLUGIN}:copy-dependencies`,
        `-DoutputDirectory=${join(work, 'out')}`,
        '-DincludeScope=runtime',
        ...pomArguments(work),
      ],
      artifacts,
    );
  }

  /** The files inside one archive artifact, or those that match `includes`. Returns the folder that holds them. */
  unpacked(name: string, artifact: Artifact, includes: string | undefined, signal: AbortSignal): Promise<string> {
    return this.#provide(
      name,
      signal,
      (work) => [
        `${PLUGIN}:unpack`,
        `-Dartifact=${coordinates(artifact)}`,
        `-DoutputDirectory=${join(work, 'out')}`,
        ...(includes === undefined ? [] : [`-Dmdep.unpack.includes=${includes}`]),
        ...pomArguments(work),
      ],
      [],
    );
  }

  /**
   * One Maven at a time: two would write the same files of the user's repository. A folder gets its name only when
   * complete.
   */
  #provide(
    name: string,
    signal: AbortSignal,
    mavenArguments: (work: string) => string[],
    dependencies: readonly Artifact[],
  ): Promise<string> {
    const result = this.#queue.then(async () => {
      const target = join(this.#directory, name);
      if (await exists(target)) return target;
      signal.throwIfAborted();
      const command = await findProgram(['mvn'], this.#tools.path);
      if (command === undefined) {
        throw new InfrastructureError(
          `Maven is not installed, and ${name} is fetched with it`,
          'install Maven (the command `mvn`), or start a Docker engine, or give the address of a running server',
        );
      }
      await mkdir(this.#directory, { recursive: true });
      const work = await mkdtemp(join(this.#directory, '.fetching-'));
      try {
        await writeFile(join(work, 'pom.xml'), renderPom(dependencies));
        await run(command, ['-q', '-B', ...mavenArguments(work)], {
          cwd: work,
          env: this.#tools.all,
          timeout: TIMEOUT_MS,
          maxBuffer: 8_000_000,
          signal,
        });
        await rename(join(work, 'out'), target).catch(async (error: unknown) => {
          if (!(await exists(target))) throw error;
        });
      } catch (error) {
        signal.throwIfAborted();
        throw new InfrastructureError(
          `Maven could not fetch ${name}`,
          'check that this machine reaches a Maven repository (~/.m2/settings.xml names mirrors and proxies), then start again',
          { lastLines: lastLines(outputOf(error), 6), retryable: true, cause: error },
        );
      } finally {
        await rm(work, { recursive: true, force: true });
      }
      return target;
    });
    this.#queue = result.catch(() => undefined);
    return result;
  }
}

function pomArguments(work: string): string[] {
  return ['-f', join(work, 'pom.xml'), `-DmarkersDirectory=${join(work, 'markers')}`];
}

function coordinates(artifact: Artifact): string {
  const parts = [artifact.group, artifact.name, artifact.version, artifact.type ?? 'jar'];
  return (artifact.classifier === undefined ? parts : [...parts, artifact.classifier]).join(':');
}

/** A project that only names what to fetch. */
export function renderPom(dependencies: readonly Artifact[]): string {
  const rows = dependencies.map(
    (artifact) =>
      `    <dependency><groupId>${artifact.group}</groupId><artifactId>${artifact.name}</artifactId><version>${artifact.version}</version></dependency>`,
  );
  return [
    '<project xmlns="http://maven.apache.org/POM/4.0.0">',
    '  <modelVersion>4.0.0</modelVersion>',
    '  <groupId>indelible</groupId><artifactId>downloads</artifactId><version>1</version><packaging>pom</packaging>',
    '  <dependencies>',
    ...rows,
    '  </dependencies>',
    '</project>',
    '',
  ].join('\n');
}

function outputOf(error: unknown): string {
  const { stdout, stderr, message } = error as { stdout?: string; stderr?: string; message?: string };
  return [stdout, stderr].filter((text) => text).join('\n') || (message ?? '');
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
