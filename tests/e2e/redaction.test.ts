import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { createOperatorKeys } from '@indelible/ethereum/custody';
import { environmentOf, type ServiceName, serviceNames, wantedPorts } from '@indelible/launcher';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createApiKey } from '../../packages/accounts/src/keys/api-key.ts';

// Processes of their own, whose servers are unreachable: a busy machine takes seconds to start some.
jest.setTimeout(120_000);

const root = resolve(import.meta.dirname, '../..');
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Of the lengths and alphabets of real ones. */
const operatorSeed = randomBytes(32);
const operatorKeys = createOperatorKeys({ seed: operatorSeed });
const secrets = {
  operatorSeed: hexOf(operatorSeed),
  custodySeed: hexOf(randomBytes(32)),
  sealingKey: randomBytes(32).toString('base64'),
  databasePassword: `p/@ss w"%${randomBytes(9).toString('base64')}`,
  internalToken: randomBytes(24).toString('hex'),
  apiKey: createApiKey(),
  webhookSecret: `whsec_${randomBytes(32).toString('base64')}`,
};
/** Known to a process once it has opened its keys. */
const derived = {
  laneKey: hexOf(operatorKeys.lane(0).privateKey),
  operatorKey: hexOf(operatorKeys.operator.privateKey),
};

/** As libraries write a secret: into URLs and JSON, and hexadecimals in either case. */
const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  ...(/^[0-9a-f]+$/.test(secret) ? [secret.toUpperCase()] : []),
];
const databaseUrl = `postgres://indelible:${encodeURIComponent(secrets.databasePassword)}@127.0.0.1:1/indelible`;
const leaksIn = (written: string, of: Readonly<Record<string, string>>): string[] =>
  Object.entries(of).flatMap(([name, secret]) =>
    formsOf(secret).some((form) => written.includes(form)) ? [name] : [],
  );

/** The secrets that each service reads; none reads API keys and webhook secrets, which have their own shapes. */
const readBy = (service: ServiceName): Readonly<Record<string, string>> => {
  const { databasePassword, internalToken, apiKey, webhookSecret, operatorSeed, sealingKey } = secrets;
  return {
    ...{ databasePassword, internalToken, apiKey, webhookSecret },
    ...(service === 'stamping' ? { operatorSeed } : {}),
    ...(service === 'notifications' ? { sealingKey } : {}),
  };
};

/**
 * An address containing secrets: libraries put the name that they cannot resolve into their errors. It is too long for
 * a name, so that no server is queried.
 */
const hostOf = (texts: Readonly<Record<string, string>>): string =>
  `${Object.values(texts).join(' ')}${'.x'.repeat(130)}`;

let folder: string;
const running = new Set<ChildProcess>();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'indelible-redaction-'));
});
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

function start(entry: string, words: readonly string[], environment: Readonly<Record<string, string>>): ChildProcess {
  const child = spawn(process.execPath, [resolve(root, entry), ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

const entryOf = (service: ServiceName): string => join('services', service, 'src/main.ts');

function settingsOf(service: ServiceName): Record<string, string> {
  return {
    ...environmentOf(service, {
      databaseUrl,
      kafkaBrokers: '127.0.0.1:1',
      schemaRegistryUrl: 'http://127.0.0.1:1',
      redisUrl: 'redis://127.0.0.1:1',
      rpcUrl: 'http://127.0.0.1:1',
      chainId: 31337,
      contractAddress: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
      operatorSeed: secrets.operatorSeed,
      webhookSealingKeys: `key:${secrets.sealingKey}`,
      blobDirectory: join(folder, 'blobs'),
      topicPrefix: 'redaction.',
      publicTopicPrefix: '',
      ports: wantedPorts,
    }),
    INTERNAL_TOKEN: secrets.internalToken,
  };
}

/** Runs a service until `isLast` holds for a line, or it ends; returns all its output. */
async function linesOf(
  service: ServiceName,
  environment: Readonly<Record<string, string>>,
  isLast: (line: string) => boolean,
): Promise<{ lines: string[]; errors: string }> {
  const child = start(entryOf(service), [], environment);
  const closed = once(child, 'close');
  const errors = text(child.stderr as NonNullable<typeof child.stderr>);
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout as NonNullable<typeof child.stdout> })) {
    lines.push(line);
    if (isLast(line)) child.kill('SIGTERM');
  }
  await closed;
  return { lines, errors: await errors };
}

describe('the log of a service that works with real keys (I10)', () => {
  it.each(serviceNames)(
    '%s: holds none of them, though its settings and the errors of its libraries do',
    async (service) => {
      const known = readBy(service);
      const given = service === 'stamping' ? { ...known, ...derived } : known;
      const environment = { ...settingsOf(service), INTERNAL_HOST: hostOf(given) };
      const listening = 'cannot listen (INTERNAL_HOST, INTERNAL_PORT)';
      // The chain-indexer waits for the chain before it listens.
      const last = service === 'chain-indexer' ? 'waiting for the chain node' : listening;
      const { lines, errors } = await linesOf(service, environment, (line) => line.includes(last));
      expect(leaksIn(`${lines.join('\n')}\n${errors}`, known)).toEqual([]);

      const redacted = (line: string | undefined): number => line?.match(/\[redacted\]/g)?.length ?? 0;
      const ofMessage = (msg: string): string | undefined => lines.find((line) => line.includes(`"msg":"${msg}"`));
      const { settings } = JSON.parse(ofMessage('starting') ?? '{}') as { settings?: Record<string, string> };
      expect(redacted(settings?.INTERNAL_HOST)).toBe(Object.keys(known).length);
      const fault = lines.find((line) => line.includes(last));
      expect(fault).toBeDefined();
      if (last === listening) expect(redacted(fault)).toBe(Object.keys(given).length);
      expect(leaksIn(fault ?? '', derived)).toEqual([]);
    },
  );

  it.each(serviceNames)('%s: nor do the faults with which it refuses to start', async (service) => {
    const known = readBy(service);
    const { INTERNAL_TOKEN: _, ...settings } = settingsOf(service);
    const { internalToken: _token, ...left } = known;
    const environment = { ...settings, NODE_ENV: 'production', INTERNAL_HOST: hostOf(left) };
    const { lines, errors } = await linesOf(service, environment, () => false);
    expect(lines).toEqual([]);
    expect(errors).toMatch(/INTERNAL_TOKEN is required where .*\[redacted\]/);
    expect(leaksIn(errors, known)).toEqual([]);
  });
});

describe('what commands print (I10)', () => {
  const cli = async (words: readonly string[], environment: Readonly<Record<string, string>>) => {
    const child = start('packages/cli/src/main.ts', words, environment);
    const [out, err] = await Promise.all([
      text(child.stdout as NonNullable<typeof child.stdout>),
      text(child.stderr as NonNullable<typeof child.stderr>),
    ]);
    return { out, err };
  };
  const chain = (secret: string) => ({
    CHAIN_ID: '31337',
    CONTRACT_ADDRESS: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
    RPC_URL: `http://${secret}${'.x'.repeat(100)}:1`,
  });

  it.each([['hex'], ['a file']])('holds no seed, given as %s, nor a key of it, also with a stack', async (form) => {
    const file = join(folder, 'operator.seed');
    await writeFile(file, `0x${secrets.operatorSeed.toUpperCase()}\n`, { mode: 0o600 });
    const seed = form === 'hex' ? { OPERATOR_SEED: secrets.operatorSeed } : { OPERATOR_SEED_FILE: file };
    for (const secret of [secrets.operatorSeed, derived.operatorKey]) {
      const { out, err } = await cli(['contract', 'deploy', '--verbose'], { ...chain(secret), ...seed });
      expect([out, leaksIn(err, { ...secrets, ...derived })]).toEqual(['', []]);
      expect(err).toMatch(/^indelible: the chain's node \(RPC_URL\): \[redacted\]/);
    }
    const { out, err } = await cli(['lanes', 'add', '0', '--verbose'], { ...chain(derived.laneKey), ...seed });
    expect([out, leaksIn(err, { ...secrets, ...derived })]).toEqual(['', []]);
    expect(err).toMatch(/^indelible: the chain's node \(RPC_URL\): \[redacted\]/);
  });

  it('holds no custody seed and no password', async () => {
    const { out, err } = await cli(['accounts', 'create', '--name', 'Ada', '--email', 'ada@example.com', '--verbose'], {
      ...chain(secrets.custodySeed),
      OPERATOR_ADDRESS: operatorKeys.operator.address,
      CUSTODY_SEED: secrets.custodySeed,
      DATABASE_URL: databaseUrl,
    });
    expect([out, leaksIn(err, secrets)]).toEqual(['', []]);
    expect(err).toMatch(/^indelible: the chain's node \(RPC_URL\): \[redacted\]/);
    const keys = await cli(['keys', 'list', '--account', operatorKeys.operator.address, '--verbose'], {
      DATABASE_URL: databaseUrl,
    });
    expect([keys.out, leaksIn(keys.err, secrets)]).toEqual(['', []]);
    expect(keys.err).toMatch(/^indelible: Postgres at 127\.0\.0\.1:1 cannot be reached/);
  });

  it('holds no API key or webhook secret that was typed where none belongs', async () => {
    const { out, err } = await cli(['keys', 'revoke', '--nonsense', secrets.apiKey], {});
    expect([out, leaksIn(err, secrets)]).toEqual(['', []]);
    for (const secret of [secrets.apiKey, secrets.webhookSecret]) {
      const typed = await cli(['keys', 'list', '--account', secret], {});
      expect([typed.out, leaksIn(typed.err, secrets)]).toEqual(['', []]);
      expect(typed.err).toContain('[redacted]');
    }
  });
});
