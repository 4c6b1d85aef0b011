import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { ToolEnvironment } from '@indelible/launcher/servers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { provideGcsServer } from '../src/gcs-program.ts';
import { TEST_GCS_TIMEOUT_MS, type TestGcs, testGcs, testGcsEmulator } from '../src/index.ts';

describe('provideGcsServer', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gcs-program-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));
  const folder = () => ({ directory: join(directory, 'go-bin'), program: join(directory, 'go-bin', 'server') });
  const toolsWith = (path: string): ToolEnvironment => ({ path, javaHome: undefined, all: { PATH: path } });

  it('says what to install where there is neither Go nor a Docker engine, instead of passing tests over', async () => {
    const said: string[] = [];
    const stderr = jest.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
    const provide = () => provideGcsServer(toolsWith(join(directory, 'empty')), folder());
    const gcs = await testGcs(provide).finally(() => stderr.mockRestore());
    try {
      expect(await gcs.createBucket()).toMatch(/^test-/);
      expect(said).toEqual([expect.stringMatching(/our own emulator.* install Go, or start a Docker engine\n$/)]);
    } finally {
      await gcs.stop();
    }
  });

  it('builds once with Go, also for those who ask at the same moment, and keeps what was built', async () => {
    const bin = join(directory, 'bin');
    await mkdir(bin);
    await writeFile(
      join(bin, 'go'),
      `#!/bin/sh\necho "$@" >> ${directory}/built\nprintf built > "$GOBIN/fake-gcs-server"\n`,
    );
    await chmod(join(bin, 'go'), 0o755);
    const tools = toolsWith([bin, process.env.PATH ?? ''].join(delimiter));
    const expected = { kind: 'program', program: folder().program };
    expect(await Promise.all([provideGcsServer(tools, folder()), provideGcsServer(tools, folder())])).toEqual([
      expected,
      expected,
    ]);
    expect(await provideGcsServer(toolsWith(''), folder())).toEqual(expected);
    expect(await readFile(join(directory, 'built'), 'utf8')).toMatch(/^install .* \S+@v[\d.]+\n$/);
    expect(await readFile(folder().program, 'utf8')).toBe('built');
  });
});

/** What is asked of both, so that they stay equal where the driver rests on them. */
describe.each([
  ['testGcs', () => testGcs()],
  ['our own emulator', testGcsEmulator],
])('%s', (_name, start) => {
  let gcs: TestGcs;
  beforeAll(async () => {
    gcs = await start();
  }, TEST_GCS_TIMEOUT_MS);
  afterAll(() => gcs?.stop());

  it('heeds ifGenerationMatch of uploads and of rewrites, as Google documents it', async () => {
    const bucket = await gcs.createBucket();
    const post = async (path: string): Promise<number> => {
      const response = await fetch(`${gcs.apiEndpoint}${path}`, { method: 'POST', body: '{}' });
      await response.body?.cancel();
      return response.status;
    };
    const upload = `/upload/storage/v1/b/${bucket}/o?uploadType=media&name=one&ifGenerationMatch=0`;
    expect([await post(upload), await post(upload)]).toEqual([200, 412]);
    const rewrite = `/storage/v1/b/${bucket}/o/one/rewriteTo/b/${bucket}/o/two%2Fthree?ifGenerationMatch=0`;
    const outcomes = await Promise.all([post(rewrite), post(rewrite), post(rewrite)]);
    expect(outcomes.sort()).toEqual([200, 412, 412]);
  });

  it('answers the requests of a resumable upload alike', async () => {
    const bucket = await gcs.createBucket();
    const [quarter, uploads] = [256 * 1024, `${gcs.apiEndpoint}/upload/storage/v1/b/${bucket}/o`];
    const begun = await fetch(`${uploads}?uploadType=resumable&name=one&ifGenerationMatch=0`, { method: 'POST' });
    await begun.body?.cancel();
    const session = begun.headers.get('location') ?? '';
    const send = async (range: string, bytes: number) => {
      const body = Buffer.alloc(bytes, 7);
      const answer = await fetch(session, { method: 'PUT', headers: { 'content-range': range }, body });
      const { size, crc32c, md5Hash } = JSON.parse((await answer.text()) || '{}') as Record<string, string>;
      return { status: answer.status, kept: answer.headers.get('range'), size, crc32c, md5Hash };
    };
    expect(await send(`bytes 0-${quarter - 1}/*`, quarter)).toMatchObject({
      status: 308,
      kept: `bytes=0-${quarter - 1}`,
    });
    expect(await send(`bytes ${quarter}-${quarter + 4}/${quarter + 5}`, 5)).toMatchObject({
      ...{ status: 200, size: String(quarter + 5) },
      ...{ crc32c: '0VsX9g==', md5Hash: 'qF4pMAPGGVzACmgVU23kQQ==' },
    });
  });

  it('describes, downloads, lists and deletes an object alike', async () => {
    const bucket = await gcs.createBucket();
    const ask = (method: string, path: string, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${gcs.apiEndpoint}/storage/v1/b/${bucket}/o${path}`, { method, headers });
    const put = `${gcs.apiEndpoint}/upload/storage/v1/b/${bucket}/o?uploadType=media&name=a%2Fone`;
    await (await fetch(put, { method: 'POST', body: '123456789' })).body?.cancel();
    const facts = { name: 'a/one', bucket, size: '9', crc32c: '4waSgw==', md5Hash: 'JfnnlDI7RTiF9RgfG2JNCw==' };
    const described = (await (await ask('GET', '/a%2Fone')).json()) as Record<string, string>;
    expect(described).toMatchObject({ ...facts, generation: expect.stringMatching(/^\d{16}$/) });
    expect(Date.parse(described.updated ?? '')).not.toBeNaN();
    const part = await ask('GET', '/a%2Fone?alt=media', { range: 'bytes=2-4' });
    expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([206, '345', 'bytes 2-4/9']);
    expect(await (await ask('GET', '?prefix=a/')).json()).toMatchObject({ items: [facts] });
    expect(await (await ask('GET', '?prefix=b/')).json()).not.toHaveProperty('items.0');
    const statuses = [];
    for (const method of ['DELETE', 'DELETE', 'GET']) {
      const answer = await ask(method, '/a%2Fone');
      await answer.body?.cancel();
      statuses.push(answer.ok ? 'done' : answer.status);
    }
    expect(statuses).toEqual(['done', 404, 404]);
  });
});
