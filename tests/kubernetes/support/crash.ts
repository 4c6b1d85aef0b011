import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@indelible/testing';
import { expect } from '@jest/globals';
import type { Component, Installation } from './installation.ts';

/** The cgroups of the nodes' pods. */
const ROOT = '/sys/fs/cgroup/pids/indelible-kubernetes';

/** Kills every process of these pods at once, as a crash of their containers; resolves when the nodes have started them all again. */
export async function crash({ pods }: Installation, ...components: readonly Component[]): Promise<void> {
  const before = await pods(...components);
  const folders = await foldersOf(before.map(({ uid }) => uid));
  expect(folders).toHaveLength(before.length);
  const processes = (await Promise.all(folders.map(processesIn))).flat();
  for (const pid of processes) kill(pid);
  await eventually(
    async () => {
      const now = new Map((await pods(...components)).map((pod) => [pod.name, pod]));
      for (const { name, restarts } of before) {
        expect([name, now.get(name)?.ready, (now.get(name)?.restarts ?? 0) > restarts]).toEqual([name, true, true]);
      }
    },
    { timeoutMs: 180_000, intervalMs: 1_000 },
  );
}

async function foldersOf(uids: readonly string[]): Promise<readonly string[]> {
  const names = new Set(uids.map((uid) => `pod${uid}`));
  const all = await readdir(ROOT, { recursive: true, withFileTypes: true });
  return all.filter(({ name }) => names.has(name)).map(({ parentPath, name }) => join(parentPath, name));
}

async function processesIn(folder: string): Promise<readonly number[]> {
  const containers = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const lists = await Promise.all(containers.map(({ name }) => readFile(join(folder, name, 'cgroup.procs'), 'utf8')));
  return lists.flatMap((list) => list.split('\n').filter(Boolean).map(Number));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // another's end has ended it
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
