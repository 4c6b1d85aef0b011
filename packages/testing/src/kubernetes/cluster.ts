import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  InfrastructureError,
  lockDirectory,
  runStep,
  type Server,
  Supervisor,
  serverEnvironment,
  type ToolEnvironment,
  waitUntil,
} from '@indelible/launcher/servers';
import { type Apart, startApart } from '../apart/apart.ts';
import { TEST_FOLDER, WORKSPACE } from '../environment.ts';
import { printStep } from '../print-step.ts';
import { writeCertificates } from './certificates.ts';
import { makeCgroups, removeCgroups } from './cgroups.ts';
import { type Command, controllers, corefile, dnsService, storeAndServer } from './control-plane.ts';
import type { KubeTools } from './kube-tools.ts';
import { configureNode, containerRuntime, nodeAgents, nodeFolders } from './node.ts';
import { coveredFolders, type NodePlace, nodePlaces, topologyScript } from './topology.ts';

const execute = promisify(execFile);
const START_MS = 120_000;
const IMPORT_MS = 10 * 60_000;

/** A real cluster in its own namespaces, which ends with its first process. */
export type Cluster = {
  /** Prefix of a command that is to reach it. */
  readonly enter: readonly string[];
  /** The configuration of an administrator's client. */
  readonly kubeconfig: string;
  /** A folder with `ca.crt`, `tls.crt` and `tls.key`, for what serves beside the cluster. */
  readonly besideKeys: string;
  /** For volumes of its nodes, which share it as nodes share a file system. */
  readonly volumes: string;
  /** Starts a program beside the cluster, with its log among those of the cluster. */
  startBeside(command: Command, env?: Readonly<Record<string, string>>): Promise<Server>;
  apply(objects: readonly object[]): Promise<void>;
  /** Adds the kinds of resources that are defined in the YAML files of these folders. */
  define(folders: readonly string[]): Promise<void>;
  /** Adds the nodes, which have the images of this archive. Resolves when they are ready. */
  addNodes(images: string): Promise<void>;
  stop(): Promise<void>;
};

/** Starts the control plane; it is ready when it answers. Logs are in `.local/test/kubernetes/logs`. */
export async function startCluster(tools: ToolEnvironment, kube: KubeTools, signal: AbortSignal): Promise<Cluster> {
  const home = join(TEST_FOLDER, 'kubernetes');
  const lock = await lockDirectory(home);
  const supervisor = new Supervisor(home);
  await supervisor.endLeftovers();
  const data = join(WORKSPACE, '.local', 'kubernetes');
  await rm(data, { recursive: true, force: true });
  const volumes = join(data, 'volumes');
  await mkdir(volumes, { recursive: true });
  // short: it holds socket paths
  const folder = await mkdtemp(join(tmpdir(), 'indelible-kube-'));
  const kubeconfig = join(folder, 'keys', 'admin.conf');
  const env = { ...serverEnvironment(tools), KUBECONFIG: kubeconfig };
  const servers: Server[] = [];
  let apart: Apart | undefined;

  const inside = (place?: NodePlace): readonly string[] => {
    if (apart === undefined) throw new Error('the namespaces are not there yet');
    const network = place === undefined || place === nodePlaces[0] ? [] : [`--net=/run/netns/${place.name}`];
    return [...apart.enter, ...(network.length === 0 ? [] : ['nsenter', ...network])];
  };
  const start = async ({ name, words }: Command, place?: NodePlace, more: Readonly<Record<string, string>> = {}) => {
    const [command = '', ...args] = [...inside(place), ...words];
    const stops = { stopSignal: 'SIGTERM', stopTimeoutMs: 1_000 } as const;
    const server = await supervisor.start({ name, command, args, cwd: folder, env: { ...env, ...more }, ...stops });
    servers.push(server);
    return server;
  };
  const run = async (words: readonly string[], timeout = START_MS): Promise<string> => {
    const [command = '', ...args] = [...inside(), ...words];
    return (await execute(command, args, { env, signal, timeout, maxBuffer: 64_000_000 })).stdout;
  };
  const until = <T>(check: () => Promise<T>) =>
    waitUntil(check, { timeoutMs: START_MS, intervalMs: 250, signal }).catch(async (cause) => {
      const lastLines = (await Promise.all(servers.map((server) => server.lastLines()))).flat().slice(-20);
      const remedy = `the logs in ${join(home, 'logs')} say why`;
      throw new InfrastructureError('The cluster did not start', remedy, { lastLines, cause });
    });
  const apply = async (objects: readonly object[]) => {
    const file = join(folder, 'objects.json');
    await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    await run([kube.kubectl, 'apply', '--server-side', '-f', file]);
  };
  const stop = async () => {
    await apart?.stop(0);
    await Promise.all(servers.map((server) => server.stop()));
    await removeCgroups();
    for (const path of [folder, data]) await rm(path, { recursive: true, force: true });
    // those created as mount points
    for (const path of coveredFolders) await rmdir(path).catch(() => undefined);
    await lock.release();
  };

  const addNode = async (place: NodePlace, images: string) => {
    const folders = nodeFolders(folder, data, place);
    await configureNode(folder, place, folders);
    await start(containerRuntime(folder, place), place);
    const ctr = ['ctr', '--address', folders.socket, '--namespace', 'k8s.io'];
    await until(() => run([...ctr, 'version']));
    await run([...ctr, 'images', 'import', images], IMPORT_MS);
    for (const command of nodeAgents(kube, folder, place)) await start(command, place);
    await until(() => run([kube.kubectl, 'wait', '--for=condition=Ready', `node/${place.name}`, '--timeout=10s']));
  };

  try {
    await runStep(printStep, 'cluster', async () => {
      await makeCgroups();
      await writeCertificates(join(folder, 'keys'));
      await writeFile(join(folder, 'Corefile'), corefile(folder));
      const script = topologyScript(folder);
      apart = await startApart(supervisor, { name: 'namespaces', cwd: folder, env, network: 'own', script });
      await until(() => access(join(folder, 'ready')));
      for (const command of storeAndServer(kube, folder)) await start(command);
      await until(() => run([kube.kubectl, 'get', '--raw', '/readyz']));
      for (const command of controllers(kube, folder)) await start(command);
      await until(() => run([kube.kubectl, '--namespace', 'default', 'get', 'serviceaccount', 'default']));
      await until(() => apply(dnsService()));
      return { value: undefined, detail: 'the control plane is ready' };
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    enter: inside(),
    kubeconfig,
    besideKeys: join(folder, 'keys', 'beside'),
    volumes,
    startBeside: (command, more) => start(command, undefined, more),
    apply,
    async define(folders) {
      const files = folders.flatMap((one) => ['--filename', one]);
      await run([kube.kubectl, 'apply', '--server-side', ...files]);
      await run([kube.kubectl, 'wait', '--for=condition=Established', '--timeout=60s', ...files]);
    },
    stop,
    async addNodes(images) {
      for (const place of nodePlaces)
        await runStep(printStep, place.name, async () => {
          await addNode(place, images);
          return { value: undefined, detail: 'is ready' };
        });
    },
  };
}
