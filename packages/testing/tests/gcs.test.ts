import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { ToolEnvironment } from '@indelible/local-infrastructure';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { provideGcsServer } from '../src/gcs-program.ts';
import { TEST_GCS_TIMEOUT_MS, type TestGcs, testGcs } from '../src/index.ts';

describe('provideGcsServer', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gcs-program-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));
  const folder = () => ({ directory: join(directory, 'go-bin'), program: join(directory, 'go-bin', 'server') });
  const toolsWith = (path: string): ToolEnvironment => ({ path, javaHome: undefined, all: { PATH: path } });

  it('says what to install where there is neither Go nor a Docker engine, instead of passing tests over', async () => {
    await expect(provideGcsServer(toolsWith(join(directory, 'empty')), folder())).rejects.toMatchObject({
      name: 'InfrastructureError',
      message: expect.stringContaining('fake-gcs-server'),
      remedy: expect.stringMatching(/install Go .*Docker engine/),
    });
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
    expect(await readFile(join(directory, 'built'), 'utf8')).toMatch(/^install \S+@v[\d.]+\n$/);
    expect(await readFile(folder().program, 'utf8')).toBe('built');
  });
});

describe('testGcs', () => {
  let gcs: TestGcs;
  beforeAll(async () => {
    gcs = await testGcs();
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
});
