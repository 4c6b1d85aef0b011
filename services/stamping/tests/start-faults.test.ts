import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createOperatorKeys } from '@indelible/ethereum/custody';
import { fixedPort } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'start-faults-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const seed = Buffer.from('ab'.repeat(32), 'hex');
/** Nothing listens there. */
const port = await fixedPort();

const nowhere = {
  DATABASE_URL: `postgres://user:hidden@127.0.0.1:${port}/none`,
  KAFKA_BROKERS: `127.0.0.1:${port}`,
  SCHEMA_REGISTRY_URL: `http://127.0.0.1:${port}`,
  REDIS_URL: `redis://127.0.0.1:${port}`,
  RPC_URL: `http://127.0.0.1:${port}`,
  CHAIN_ID: '31337',
  CONTRACT_ADDRESS: `0x${'11'.repeat(20)}`,
  INTERNAL_PORT: '0',
};

const run = (program: string, environment: Record<string, string>) =>
  spawn(process.execPath, [resolve(import.meta.dirname, '../src', program)], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });

async function untilEnd(program: string, environment: Record<string, string>) {
  const child = run(program, environment);
  try {
    const said = Promise.all([text(child.stdout as Readable), text(child.stderr as Readable)]);
    const [code] = (await once(child, 'close', { signal: AbortSignal.timeout(20_000) })) as [number | null];
    return { code, output: (await said).join('') };
  } finally {
    child.kill('SIGKILL');
  }
}

describe('a service that cannot start', () => {
  it.each([
    ['a seed that is no hex', async () => ({ OPERATOR_SEED: 'zz' }), /OPERATOR_SEED.* neither hex/],
    [
      'a seed file that does not exist',
      async () => ({ OPERATOR_SEED_FILE: join(folder, 'missing') }),
      /OPERATOR_SEED_FILE.* nor the path of an existing file/,
    ],
    [
      'a seed file that others may read',
      async () => {
        const path = join(folder, 'open.seed');
        await writeFile(path, 'ab'.repeat(32), { mode: 0o644 });
        return { OPERATOR_SEED_FILE: path };
      },
      /OPERATOR_SEED_FILE.*\(mode 644\)/,
    ],
    [
      "the operator's own seed for its lanes",
      async () => ({ LANE_SEED: 'ab'.repeat(32), OPERATOR_ADDRESS: createOperatorKeys({ seed }).operator.address }),
      /LANE_SEED.* a seed of their own/,
    ],
    ['no keys of lanes', async () => ({}), /LANE_SEED or LANE_KMS_KEYS or OPERATOR_SEED is required/],
  ])('says why in one line, names the variable and ends with 78: %s', async (_name, given, reason) => {
    const { code, output } = await untilEnd('main.ts', { ...nowhere, ...(await given()) });
    expect(output).toMatch(reason);
    expect(output).not.toMatch(/\n\s+at /);
    expect(code).toBe(78);
  });

  it('names what a migration lacks, and ends with 78', async () => {
    const { code, output } = await untilEnd('migrate.ts', {});
    expect(output).toMatch(/DATABASE_URL is required/);
    expect(output).not.toMatch(/\n\s+at /);
    expect(code).toBe(78);
  });

  it('names the database that a migration cannot reach, without its password (I10)', async () => {
    const { code, output } = await untilEnd('migrate.ts', { DATABASE_URL: nowhere.DATABASE_URL });
    expect(output).toMatch(new RegExp(`127\\.0\\.0\\.1:${port}`));
    expect(output).not.toMatch(/hidden|\n\s+at /);
    expect(code).toBe(1);
  });
});

describe('a service whose neighbours are unreachable', () => {
  it('names each with its address and variable, once, and ends in order when it is stopped (I10, I11)', async () => {
    const child = run('main.ts', { ...nowhere, OPERATOR_SEED: 'ab'.repeat(32) });
    try {
      let log = '';
      const all = Promise.withResolvers<void>();
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        log += chunk;
        if (Object.values(waitedFor).every((line) => log.includes(line))) all.resolve();
      });
      const timer = setTimeout(() => all.reject(new Error(`not all were named:\n${log}`)), 40_000);
      await all.promise.finally(() => clearTimeout(timer));
      const stopped = performance.now();
      child.kill('SIGTERM');
      const [code] = (await once(child, 'close', { signal: AbortSignal.timeout(15_000) })) as [number | null];
      for (const line of Object.values(waitedFor)) expect(log.split(line)).toHaveLength(2);
      expect(log).not.toContain('hidden');
      expect(code).toBe(0);
      // well below the 30 s after which a supervisor kills it
      expect(performance.now() - stopped).toBeLessThan(15_000);
    } finally {
      child.kill('SIGKILL');
    }
  }, 60_000);
});

const waitedFor = {
  postgres: `waiting for Postgres at 127.0.0.1:${port} (DATABASE_URL)`,
  kafka: `waiting for Kafka at 127.0.0.1:${port} (KAFKA_BROKERS)`,
  registry: `waiting for the schema registry at 127.0.0.1:${port} (SCHEMA_REGISTRY_URL)`,
  redis: `waiting for Redis at 127.0.0.1:${port} (REDIS_URL)`,
  rpc: `waiting for the chain node at 127.0.0.1:${port} (RPC_URL)`,
};
