import { randomBytes } from 'node:crypto';
import { serviceNames } from '@indelible/launcher';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Client, createClient } from '../e2e/support/client.ts';
import { type Compose, type Container, prepareCompose } from './support/compose.ts';

jest.setTimeout(10 * 60_000);

const servers = ['postgres', 'kafka', 'registry', 'redis', 'anvil'] as const;
const jobs = ['seeds', 'database', 'migrate', 'topics', 'contract', 'first-account'] as const;

describe('the whole product with Docker Compose', () => {
  let compose: Compose;
  let client: Client;
  const started = new Map<string, Container>();

  beforeAll(async () => {
    compose = await prepareCompose();
    const began = performance.now();
    await compose.compose('up', '--detach', '--wait');
    process.stderr.write(`everything is healthy after ${Math.round((performance.now() - began) / 1_000)} s\n`);
    for (const container of await compose.containers()) started.set(container.service, container);
    const file = '/run/indelible/secrets/first-account.json';
    const account = await compose.compose('run', '--rm', '--entrypoint', 'cat', 'cli', file);
    client = createClient(compose.url, (JSON.parse(account) as { apiKey: string }).apiKey);
  });
  afterAll(async () => {
    await compose?.removeAll();
  });

  const of = (service: string): Container => {
    const container = started.get(service);
    if (container === undefined) throw new Error(`there is no container of ${service}`);
    return container;
  };
  /** A stamp that comes back at once; where its status is. */
  const accept = async (): Promise<string> => {
    const file = new Blob([randomBytes(2_000)]);
    const { status, location } = await client.stamp({ file }, 'a.bin', { prefer: 'respond-async' });
    expect([200, 201, 202]).toContain(status);
    return location as string;
  };
  const expectConfirmed = async (location: string) => {
    const { body } = await client.status(location);
    expect(['confirmed', 'finalized']).toContain(body.status);
  };
  const storedFile = async () => {
    const file = new Blob([randomBytes(2_000)]);
    const answer = await client.stamp({ file, collection_name: 'Composed' });
    expect(answer.status).toBe(201);
    expect(answer.body.file_object?.file_path).toContain('/collections/Composed/stamped/');
    return { file, receipt: answer.body.commitment_receipt };
  };

  it('starts with one command: servers and services healthy, jobs ended well, nothing restarted', () => {
    for (const name of [...servers, 'local-chain', ...serviceNames])
      expect([name, of(name).running, of(name).health, of(name).restarts]).toEqual([name, true, 'healthy', 0]);
    for (const name of jobs) expect([name, of(name).running, of(name).exitCode]).toEqual([name, false, 0]);
  });

  it('starts in order: servers, then jobs, then services', () => {
    const before = (job: string, ...needs: readonly string[]) => {
      for (const need of needs) expect(of(job).startedAt).toBeGreaterThan(of(need).startedAt);
    };
    before('database', 'postgres');
    expect(of('migrate').startedAt).toBeGreaterThanOrEqual(of('database').finishedAt);
    before('topics', 'kafka', 'registry');
    before('local-chain', 'anvil');
    before('contract', 'local-chain');
    expect(of('contract').startedAt).toBeGreaterThanOrEqual(of('seeds').finishedAt);
    for (const name of serviceNames) {
      before(name, 'redis');
      for (const job of ['migrate', 'topics', 'contract'])
        expect(of(name).startedAt).toBeGreaterThanOrEqual(of(job).finishedAt);
    }
  });

  it('runs every service as user 1000 without a privilege, on a root that nobody can write to', async () => {
    for (const name of [...serviceNames, 'local-chain']) {
      const status = await compose.compose('exec', '-T', name, 'cat', '/proc/1/status');
      const field = (key: string) => new RegExp(`^${key}:\\s*(.*)$`, 'm').exec(status)?.[1]?.split(/\s+/)[0];
      expect([name, field('Uid'), field('Gid')]).toEqual([name, '1000', '1000']);
      expect([name, field('CapEff'), field('CapBnd'), field('NoNewPrivs')]).toEqual([name, ...noPrivilege]);
      const write = compose.compose('exec', '-T', '--user', '0', name, 'sh', '-c', 'echo x > /app/written');
      await expect(write).rejects.toThrow('Read-only file system');
    }
  });

  it('lets each service see its own secrets alone: stamping the seed of its lanes, and the password of one role each', async () => {
    for (const name of serviceNames) {
      const seeds = await compose.compose(
        'exec',
        '-T',
        name,
        'sh',
        '-c',
        'find / -name "*.seed" -not -path "/proc/*" 2>/dev/null; true',
      );
      const found = seeds.split('\n').filter((line) => line !== '');
      expect([name, found]).toEqual([name, name === 'stamping' ? ['/run/indelible/lanes/lane.seed'] : []]);
      const environment = await compose.compose('exec', '-T', name, 'env');
      const users = [...environment.matchAll(/postgres:\/\/(\w+):/g)].map(([, user]) => user);
      expect([name, users]).toEqual([name, [`indelible_${name.replace('-', '_')}`]]);
    }
  });

  it('lets no service read what another has in the database', async () => {
    const read = (name: string, schema: string) =>
      compose.compose('exec', '-T', name, 'node', '--input-type=module', '--eval', readingOf(schema));
    const schemas = { gateway: 'gateway', stamping: 'stamping', 'chain-indexer': 'chain', storage: 'storage' } as const;
    for (const [name, own] of Object.entries(schemas))
      for (const schema of Object.values(schemas))
        expect([name, schema, (await read(name, schema)).trim()]).toEqual([
          name,
          schema,
          schema === own ? 'read' : '42501',
        ]);
  });

  it('opens nothing to other machines', async () => {
    const ports = await compose.compose('ps', '--format', '{{.Ports}}');
    expect(ports).toMatch(/127\.0\.0\.1:\d+->8080/);
    expect(ports).not.toMatch(/(0\.0\.0\.0|\[::\]):\d+->/);
  });

  it('stamps a file through the gateway, stores it, reports the event, and finds the commitment', async () => {
    const stream = await client.streamEvents();
    try {
      const { receipt } = await storedFile();
      const { body } = await client.verify([receipt.object_cid]);
      expect(body.stamp_list).toContainEqual(expect.objectContaining({ transaction_hash: receipt.transaction_hash }));
      await eventually(
        () => {
          const types = stream.events.map(({ name }) => name);
          expect(types).toEqual(expect.arrayContaining(['stamp.confirmed', 'file.stored']));
        },
        { timeoutMs: 30_000, intervalMs: 200 },
      );
    } finally {
      await stream.close();
    }
  });

  it('has a command line that finds everything well', async () => {
    const status = await compose.compose('run', '--rm', 'cli', 'status');
    for (const name of serviceNames) expect(status).toContain(name);
    await compose.compose('run', '--rm', 'cli', 'doctor');
  });

  it('I6: killed services and servers lose nothing that was accepted', async () => {
    const accepted: string[] = [];
    for (const names of [
      ['stamping', 'storage', 'chain-indexer'],
      ['gateway', 'verification', 'notifications'],
      servers,
    ]) {
      for (let i = 0; i < 10; i++) accepted.push(await accept());
      await compose.compose('kill', '--signal', 'KILL', ...names);
      await compose.compose('up', '--detach', '--wait');
    }
    await eventually(async () => Promise.all(accepted.map(expectConfirmed)), { timeoutMs: 120_000, intervalMs: 1_000 });
  });

  it('adds a second replica of a service', async () => {
    await compose.compose('up', '--detach', '--wait', '--no-recreate', '--scale', 'storage=2');
    const replicas = (await compose.containers()).filter(({ service }) => service === 'storage');
    expect(replicas.map(({ health }) => health)).toEqual(['healthy', 'healthy']);
    await storedFile();
  });

  it('I2: keeps everything over `down` and `up`: what was stamped is found, and repeated without another commitment', async () => {
    const { file, receipt } = await storedFile();
    await compose.compose('down');
    expect((await compose.compose('ps', '--all', '--quiet')).trim()).toBe('');
    await compose.compose('up', '--detach', '--wait');
    const { body } = await client.verify([receipt.object_cid]);
    expect(body.stamp_list).toHaveLength(1);
    const again = await client.stamp({ file, collection_name: 'Composed', idempotency_window: '86400' });
    expect([again.status, again.body.commitment_receipt.transaction_hash]).toEqual([200, receipt.transaction_hash]);
  });
});

/** A program for a service's container: whether its role may read a schema, or the SQLSTATE that says no. */
const readingOf = (schema: string): string => `
  import { createRequire } from 'node:module';
  const { default: pg } = await import(createRequire('/app/packages/postgres/src/index.ts').resolve('pg'));
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  console.log(await client.query('select from ${schema}.knex_migrations limit 1').then(() => 'read', ({ code }) => code));
  await client.end();
`;

const noPrivilege = ['0000000000000000', '0000000000000000', '1'];
