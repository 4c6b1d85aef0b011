import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '@indelible/launcher';
import { fixedPort } from '@indelible/testing';
import { nodeOf, type Programs, type Release } from './release.ts';

const probeMs = 250;
const readyWithinMs = 60_000;
/** `terminationGracePeriodSeconds` of the chart. */
const graceMs = 50_000;
/** The chart waits 5 s, since endpoints take their time to come round to every node; the balancer here knows at once. */
const preStopMs = 500;

/** A process of a service, with the probes that Kubernetes would send it. */
export type Replica = Awaited<ReturnType<typeof startReplica>>;

export async function startReplica(
  release: Release,
  name: ServiceName,
  programs: Programs,
  onLine: (line: string) => void,
) {
  const { words, environment } = programs[name];
  const port = await fixedPort();
  const apiPort = await fixedPort();
  const child = spawn(nodeOf(release), [...words], {
    cwd: release.root,
    env: {
      NODE_COMPILE_CACHE: `${release.root}/.local/compile-cache`,
      ...environment,
      INTERNAL_PORT: String(port),
      ...(name === 'gateway' && { HTTP_PORT: String(apiPort) }),
      LEAVE_MS: '2000',
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  for (const stream of [child.stdout, child.stderr])
    if (stream !== null) createInterface({ input: stream }).on('line', onLine);
  let asked = false;
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      isOver = true;
      resolve(`${signal ?? `code ${code}`}`);
      if (!asked) faults.push(`${name} ended by itself with ${signal ?? `code ${code}`}`);
    });
  });
  const faults: string[] = [];
  let isOver = false;
  let ready = false;

  async function probe(): Promise<boolean> {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(5_000) });
      await response.arrayBuffer();
      return response.ok;
    } catch {
      return false;
    }
  }
  const probing = (async () => {
    while (!isOver) {
      ready = await probe();
      await Promise.race([delay(probeMs), ended]);
    }
    ready = false;
  })();
  const isReady = (): boolean => ready;

  return {
    name,
    release,
    faults: faults as readonly string[],
    internal: { port, isReady },
    /** Of the gateway. */
    api: { port: apiPort, isReady },
    async untilReady(): Promise<void> {
      const deadline = performance.now() + readyWithinMs;
      while (!ready) {
        if (isOver) throw new Error(`${name} of ${release.name} ended instead of becoming ready`);
        if (performance.now() > deadline) throw new Error(`${name} of ${release.name} is not ready`);
        await delay(probeMs / 5);
      }
    },
    /** @param leave takes it out of its balancers, which goes before */
    async stop(leave: () => void): Promise<void> {
      asked = true;
      leave();
      if (!isOver) await Promise.race([delay(preStopMs), ended]);
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), graceMs);
      const end = await ended;
      clearTimeout(late);
      await probing;
      if (end !== 'code 0') faults.push(`${name} of ${release.name} ended with ${end} when it was stopped`);
    },
  };
}
