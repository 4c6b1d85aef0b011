import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Child, startChild } from '../children/child.ts';
import type { Content, UploadJob, UploadOutcome } from '../load/upload.ts';
import { watchMemory } from '../measuring/process-memory.ts';
import { rowOf } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import type { System } from '../system/start-system.ts';

const mebibyte = 2 ** 20;
const collection = { collection_name: 'Bench' };
const newSeed = (): string => randomBytes(16).toString('hex');
const ways = ['POST /stamps', 'upload later'] as const;

/**
 * A large file to POST /stamps, and one to upload-stamped-file. With an immediate response where the API has one, so
 * that the speed is that of the durable upload, not of the chain; then waits for the file.
 */
export const memoryUpload: Scenario = {
  name: 'memory-upload',
  about: 'a file of 1 GiB is stamped and stored, and another is uploaded later: growth of each process, and speed',
  async run(context) {
    const size = context.quick ? 8 * mebibyte : 1_024 * mebibyte;
    const system = await context.startSystem();
    await using load = startChild(context.signal);
    const upload = createUploader(system, load, context.signal);
    context.progress('warm-up');
    // Warms everything up, but is too small for what grows with a body, which is to be measured.
    for (let i = 0; i < (context.quick ? 1 : 10); i++) await upload.stamp({ seed: newSeed(), size: mebibyte / 4 });
    const memory = await watchMemory(Object.values(system.services));
    const speed = ways.map((what) => ({ what, rounds: [] as number[], baseline: [] as number[] }));
    const rounds = context.quick ? 1 : 3;
    for (let round = 1; round <= rounds; round++)
      for (const { what, rounds: speeds, baseline } of speed) {
        context.progress(`round ${round} of ${rounds}: ${what}`);
        const content = { seed: newSeed(), size };
        const hashed = await load.run('hash', content);
        baseline.push(size / 1e6 / hashed.seconds);
        if (what === 'upload later') await upload.stampCid(hashed.cid);
        await memory.during(what, async () => {
          const seconds = await (what === 'upload later' ? upload.later(content) : upload.stamp(content));
          speeds.push(size / 1e6 / seconds);
        });
        await rm(join(system.blobDirectory, 'objects'), { recursive: true, force: true });
      }
    const speedRows = speed.map(({ what, rounds, baseline }) =>
      rowOf(`${what}, speed`, 'MB/s', rounds, (value) => value, { what: 'SHA3-256 of node', rounds: baseline }),
    );
    return [...memory.rows(), ...speedRows];
  },
};

function createUploader({ connection }: System, load: Child, signal: AbortSignal) {
  const { rootUrl, apiKey } = connection;
  const upload = async (
    path: string,
    content: Content,
    status: number,
    headers: UploadJob['headers'] = {},
  ): Promise<UploadOutcome> => {
    const answer = await load.run('upload', { rootUrl, apiKey, ...content, path, fields: collection, headers });
    if (answer.status !== status) throw new Error(`answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer;
  };
  return {
    /** @returns the seconds until the content was durable, when the stamp is confirmed and the content at its place */
    async stamp(content: Content): Promise<number> {
      const { location, seconds } = await upload('/api/v1/stamps', content, 202, { prefer: 'respond-async' });
      await untilStored(new URL(location ?? '', rootUrl), apiKey, signal);
      return seconds;
    },
    async stampCid(cid: string): Promise<void> {
      const body = new URLSearchParams({ ...collection, data_cid: cid });
      const headers = { authorization: `Bearer ${apiKey}` };
      const answer = await fetch(new URL('/api/v1/stamps', rootUrl), { method: 'POST', body, headers, signal });
      if (answer.status !== 201) throw new Error(`answered ${answer.status}: ${await answer.text()}`);
    },
    /** @returns the seconds until the content was at its place */
    later: async (content: Content): Promise<number> =>
      (await upload('/api/v1/stamps/upload-stamped-file', content, 201)).seconds,
  };
}

const storedWithinMs = 60_000;

async function untilStored(url: URL, apiKey: string, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + storedWithinMs;
  for (;;) {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` }, signal });
    const body = (await answer.json()) as { status?: string; file_object?: unknown };
    if (body.file_object !== undefined) return;
    if (performance.now() > deadline) throw new Error(`not stored in time: ${JSON.stringify(body)}`);
    await delay(200, undefined, { signal });
  }
}
