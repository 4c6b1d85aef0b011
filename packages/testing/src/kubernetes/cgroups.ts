import { access, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InfrastructureError, waitUntil } from '@indelible/launcher/servers';
import { CGROUP, nodePlaces } from './topology.ts';

const ROOT = '/sys/fs/cgroup';
/** Those that the kubelet and runc need; each is a separate file system in cgroups v1. */
const controllers = ['cpu', 'cpuacct', 'cpuset', 'memory', 'devices', 'freezer', 'blkio', 'pids'];
const END_MS = 30_000;

/**
 * Makes a group for each node under every controller. @throws InfrastructureError if the machine lacks these cgroups,
 * or write access to them
 */
export async function makeCgroups(): Promise<void> {
  const missing: string[] = [];
  for (const name of controllers)
    await access(join(ROOT, name, 'tasks')).catch(() => {
      missing.push(name);
    });
  if (missing.length > 0)
    throw new InfrastructureError(
      `A Kubernetes cluster of its own needs cgroups of version 1 with the controllers ${missing.join(', ')}`,
      'start Linux with systemd.unified_cgroup_hierarchy=0, in a virtual machine if you like',
    );
  for (const controller of await groupsOf())
    for (const group of [CGROUP, ...nodePlaces.map(({ name }) => `${CGROUP}/${name}`)]) {
      const folder = join(ROOT, controller, group);
      await mkdir(folder, { recursive: true });
      if (controller !== 'cpuset') continue;
      // a group without both accepts no process
      for (const file of ['cpuset.cpus', 'cpuset.mems'])
        await writeFile(join(folder, file), await readFile(join(ROOT, controller, file)));
    }
}

/** Removes the groups, which their processes have left. */
export async function removeCgroups(): Promise<void> {
  await waitUntil(
    async () => {
      for (const controller of await readdir(ROOT)) await removeGroup(join(ROOT, controller, CGROUP));
    },
    { timeoutMs: END_MS, intervalMs: 250, signal: AbortSignal.timeout(END_MS) },
  );
}

/** The controllers' folders, with systemd's where there is one. */
async function groupsOf(): Promise<readonly string[]> {
  const present = await readdir(ROOT);
  return [...controllers, 'systemd'].filter((name) => present.includes(name));
}

async function removeGroup(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) return;
  for (const entry of entries) if (entry.isDirectory()) await removeGroup(join(folder, entry.name));
  await rmdir(folder);
}
