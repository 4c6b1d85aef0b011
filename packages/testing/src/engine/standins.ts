import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  findAnvil,
  findPostgresFolder,
  KAFKA_ARTIFACTS,
  KAFKA_DOWNLOAD,
  MavenDownloads,
  REGISTRY_ARTIFACT,
  REGISTRY_DOWNLOAD,
  type ToolEnvironment,
} from '@indelible/launcher/servers';
import { WORKSPACE } from '../environment.ts';
import type { RunTool } from '../provide-tool.ts';

/** An image under the name of an official one, built here from Debian, npm and Maven packages. */
export type Standin = {
  readonly image: string;
  /** `NAME.Dockerfile` of the folder `standin`, and what else of it the build needs. */
  readonly dockerfile: string;
  readonly files: readonly string[];
  /** Puts the rest of the build's context into a folder. */
  readonly provide: (context: string, run: RunTool, tools: ToolEnvironment, signal: AbortSignal) => Promise<void>;
};

/** Packages of Debian's root, the common first layer of all stand-ins. */
const packages = ['ca-certificates', 'netcat-openbsd', 'openjdk-17-jre-headless', 'postgresql-client', 'redis-server'];
const npm = 'npm@11.19.1';
const cast = '@foundry-rs/cast-linux-amd64@1.7.1';

const nothing = async () => undefined;
const downloads = (tools: ToolEnvironment) => new MavenDownloads(join(WORKSPACE, '.local', 'downloads'), tools);

/** In the order in which they are built. */
export const standins: readonly Standin[] = [
  {
    image: 'indelible-standin/root',
    dockerfile: 'root',
    files: [],
    async provide(context, run) {
      const sources = ['/etc/apt/sources.list', '/etc/apt/sources.list.d/debian.sources'];
      const release = /^VERSION_CODENAME=(\w+)$/m.exec(await readFile('/etc/os-release', 'utf8'))?.[1] ?? 'bookworm';
      const given: string[] = [];
      for (const file of sources) {
        const text = await readFile(file, 'utf8').catch(() => '');
        if (/^[^#\n]/m.test(text)) given.push(file);
      }
      const include = `--include=${packages.join(',')}`;
      await run('mmdebstrap', ['--quiet', '--variant=minbase', include, release, join(context, 'root.tar'), ...given]);
      await cp('/etc/ssl/certs/ca-certificates.crt', join(context, 'ca-certificates.crt'), { dereference: true });
    },
  },
  {
    image: 'node:24-bookworm-slim',
    dockerfile: 'node',
    files: [],
    async provide(context, run) {
      await cp(process.execPath, join(context, 'node'));
      await unpackNpm(run, npm, join(context, 'npm'));
    },
  },
  {
    image: 'postgres:18.4-alpine',
    dockerfile: 'postgres',
    files: ['postgres-entrypoint.sh'],
    async provide(context) {
      await cp(await findPostgresFolder(), join(context, 'postgres'), { recursive: true, verbatimSymlinks: true });
    },
  },
  {
    image: 'apache/kafka:4.3.1',
    dockerfile: 'kafka',
    files: ['kafka-entrypoint.sh'],
    async provide(context, _run, tools, signal) {
      const folder = await downloads(tools).withDependencies(KAFKA_DOWNLOAD, KAFKA_ARTIFACTS, signal);
      await cp(folder, join(context, 'kafka'), { recursive: true });
    },
  },
  {
    image: 'apicurio/apicurio-registry:3.0.9',
    dockerfile: 'registry',
    files: [],
    async provide(context, _run, tools, signal) {
      const folder = await downloads(tools).unpacked(REGISTRY_DOWNLOAD, REGISTRY_ARTIFACT, undefined, signal);
      await cp(folder, join(context, 'registry'), { recursive: true });
    },
  },
  { image: 'redis:7.4.6-alpine', dockerfile: 'redis', files: ['redis-entrypoint.sh'], provide: nothing },
  {
    image: 'ghcr.io/foundry-rs/foundry:v1.7.1',
    dockerfile: 'foundry',
    files: [],
    async provide(context, run) {
      await cp(await findAnvil(), join(context, 'anvil'), { dereference: true });
      await unpackNpm(run, cast, join(context, 'cast-package'));
      await cp(join(context, 'cast-package', 'bin', 'cast'), join(context, 'cast'));
    },
  },
];

/** The files of one npm package, without what it depends on. */
async function unpackNpm(run: RunTool, name: string, target: string): Promise<void> {
  await mkdir(target);
  const archives = `${target}-archive`;
  await mkdir(archives);
  await run('npm', ['pack', name, '--silent', '--pack-destination', archives]);
  await run('sh', [
    '-c',
    `tar --extract --gzip --strip-components=1 --directory "$1" --file "$2"/*.tgz`,
    'sh',
    target,
    archives,
  ]);
}
