import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Child, startChild } from '../children/child.ts';
import type { UploadOutcome } from '../load/upload.ts';
import { watchMemory } from '../measuring/process-memory.ts';
import type { Row, Scenario, ScenarioContext } from '../scenario.ts';
import type { System } from '../system/start-system.ts';

const mebibyte = 2 ** 20;
const collection = { collection_name: 'Bench' };
const newSeed = (): string => randomBytes(16).toString('hex');
const ways = ['POST /stamps', 'upload later'] as const;

/**
 * A large file to POST /stamps, and one to upload-stamped-file. With an immediate response where the API has one, so that the
 * speed is that of the upload, up to its being durable, and not of the chain; then its file is waited for.
 */
export const memoryUpload: Scenario = {
  name: 'memory-upload',
  about: 'a file of 1 GiB is stamped and stored, and another is uploaded later: growth of each process, and speed',
  async run(context) {
    const size = context.quick ? 8 * mebibyte : 1_024 * mebibyte;
    const system = await context.startSystem();
    const load = startChild(context.signal);
    try {
      const upload = createUploader(system, load, context.signal);
      await warmUp(upload, context);
      const memory = await watchMemory(Object.values(system.services));
      const speed = ways.map((what) => ({ what, rounds: [] as number[], baseline: [] as number[] }));
      const rounds = context.quick ? 1 : 3;
      for (let round = 1; round <= rounds; round++)
        for (const { what, rounds: speeds, baseline } of speed) {
          context.progress(`round ${round} of ${rounds}: ${what}`);
          const seed = newSeed();
          const hashed = await load.run('hash', { seed, size });
          baseline.push(size / 1e6 / hashed.seconds);
          if (what === 'upload later') await upload.stampCid(hashed.cid);
          await memory.during(what, async () => {
            const seconds = what === 'upload later' ? await upload.later(seed, size) : await upload.stamp(seed, size);
            speeds.push(size / 1e6 / seconds);
          });
          await rm(join(system.blobDirectory, 'objects'), { recursive: true, force: true });
        }
      const speedRows = speed.map(({ what, rounds, baseline }): Row => {
        return {
          ...{ what: `${what}, speed`, unit: 'MB/s', rounds },
          baseline: { what: 'SHA3-256 of node', rounds: baseline },
        };
      });
      return [...memory.rows(), ...speedRows];
    } finally {
      await load.stop();
    }
  },
};

type Uploader = ReturnType<typeof createUploader>;

/** Everything has been used; too small for what grows with a body, which is to be measured. */
async function warmUp(upload: Uploader, { quick, progress }: ScenarioContext): Promise<void> {
  progress('warm-up');
  for (let i = 0; i < (quick ? 1 : 10); i++) await upload.stamp(newSeed(), mebibyte / 4);
}

function createUploader({ connection }: System, load: Child, signal: AbortSignal) {
  const target = { rootUrl: connection.rootUrl, apiKey: connection.apiKey };
  const asynchronously = { prefer: 'respond-async' };
  const send = async (
    path: string,
    content: { readonly seed: string; readonly size: number } | { readonly cid: string },
    headers: Readonly<Record<string, string>>,
  ): Promise<UploadOutcome> => {
    if (!('cid' in content)) return load.run('upload', { ...target, ...content, path, fields: collection, headers });
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...collection, data_cid: content.cid })) form.append(name, value);
    const answer = await fetch(new URL(path, target.rootUrl), {
      ...{ method: 'POST', body: form, signal },
      headers: { ...headers, authorization: `Bearer ${target.apiKey}` },
    });
    return { seconds: 0, status: answer.status, location: answer.headers.get('location'), body: await answer.json() };
  };
  return {
    /** @returns the seconds until the content was durable, when the stamp is confirmed and the content at its place */
    async stamp(seed: string, size: number): Promise<number> {
      const answer = await send('/api/v1/stamps', { seed, size }, asynchronously);
      requireStatus(answer, 202);
      await untilStored(new URL(answer.location ?? '', target.rootUrl), target.apiKey, signal);
      return answer.seconds;
    },
    async stampCid(cid: string): Promise<void> {
      requireStatus(await send('/api/v1/stamps', { cid }, {}), 201);
    },
    /** @returns the seconds until the content was at its place */
    async later(seed: string, size: number): Promise<number> {
      const answer = await send('/api/v1/stamps/upload-stamped-file', { seed, size }, {});
      requireStatus(answer, 201);
      return answer.seconds;
    },
  };
}

function requireStatus(answer: UploadOutcome, status: number): void {
  if (answer.status !== status) throw new Error(`answered ${answer.status}: ${JSON.stringify(answer.body)}`);
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
