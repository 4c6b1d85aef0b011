import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { accountsSchema, createAccountStore } from '@indelible/accounts';
import {
  ensureContract,
  provideMessages,
  runMigrations,
  serviceNames,
  setLocalBalance,
} from '@indelible/cli/provisioning';
import { decodeNonces, encodeNonces } from '@indelible/commitment-contract';
import { createRpc, ethCall } from '@indelible/ethereum';
import {
  createOperatorKeys,
  createSeedCustody,
  readOrCreateSeedFile,
  refuseOperatorSeed,
} from '@indelible/ethereum/custody';
import { type Hex, hexOfBytes } from '@indelible/identifiers';
import { createMessageBus } from '@indelible/kafka';
import { createDatabase } from '@indelible/postgres';
import type { PublicTopicSettings } from '@indelible/public-events';
import { createLogger } from '@indelible/service-runtime';
import { type DatabaseUrls, provideDatabaseUsers } from './database-users.ts';
import { keptState } from './kept-state.ts';
import { type Addresses, type OnStep, runStep } from './servers.ts';
import { compileCache } from './service-table.ts';

export type Provisioned = {
  readonly chainId: number;
  readonly contractAddress: Hex;
  readonly operator: Hex;
  readonly operatorSeed: Hex;
  readonly webhookSealingKeys: string;
  readonly databaseUrls: DatabaseUrls;
  readonly account: Hex;
  readonly apiKey: string;
};

const localLanes = 1;
/** What the operator and its lanes get on a local chain: enough for years of stamps. */
const localBalance = 10n ** 24n;
const logger = createLogger({ service: 'launcher', level: 'error' });

/** Creates topics, schemas, tables, the contract and a first account, where missing. */
export async function provision(
  addresses: Addresses,
  options: {
    readonly dataDir: string;
    readonly secretsDir: string;
    readonly topicPrefix: string;
    readonly publicTopic: PublicTopicSettings;
    readonly contractAddress?: Hex;
    readonly closeDatabaseToOthers: boolean;
    readonly onStep: OnStep;
  },
): Promise<Provisioned> {
  const { onStep } = options;
  for (const directory of [options.dataDir, options.secretsDir])
    await mkdir(directory, { recursive: true, mode: 0o700 });
  const [chain, , databaseUrls] = await allOrFirstFault([
    runStep(onStep, 'contract', () => provideContract(addresses.rpcUrl, options)),
    runStep(onStep, 'topics and schemas', async () => {
      await provideTopics(addresses, options.topicPrefix, options.publicTopic);
      return { value: undefined, detail: '' };
    }),
    provideTables(addresses.databaseUrl, options),
  ]);
  const database = { databaseUrl: databaseUrls.gateway, rpcUrl: addresses.rpcUrl };
  const first = await runStep(onStep, 'first account', () => provideAccount(database, chain, options));
  const sealing = await readOrCreateSeedFile(join(options.secretsDir, 'webhook-sealing.key'));
  return { ...chain, ...first, databaseUrls, webhookSealingKeys: `local:${Buffer.from(sealing).toString('base64')}` };
}

/** Like Promise.all, but rejects only when all have ended: nothing continues in the background. */
async function allOrFirstFault<const Results extends readonly unknown[]>(
  work: {
    readonly [Index in keyof Results]: Promise<Results[Index]>;
  },
): Promise<Results> {
  await Promise.allSettled(work);
  return (await Promise.all(work)) as unknown as Results;
}

async function provideTopics(
  addresses: Addresses,
  topicPrefix: string,
  publicTopic: PublicTopicSettings,
): Promise<void> {
  const bus = createMessageBus({
    brokers: addresses.kafkaBrokers.split(','),
    schemaRegistryUrl: addresses.schemaRegistryUrl,
    clientId: 'launcher',
    source: 'indelible/launcher',
    topicPrefix,
    logger,
  });
  await provideMessages(bus, { ...publicTopic, prefix: `${topicPrefix}${publicTopic.prefix}` });
}

/** Each service's role, and its tables. The services do not run yet. */
async function provideTables(
  databaseUrl: string,
  {
    onStep,
    secretsDir,
    closeDatabaseToOthers: closeToOthers,
  }: { readonly onStep: OnStep; readonly secretsDir: string; readonly closeDatabaseToOthers: boolean },
): Promise<DatabaseUrls> {
  const urls = await runStep(onStep, 'database roles', () =>
    provideDatabaseUsers(databaseUrl, secretsDir, { closeToOthers }),
  );
  await runStep(onStep, 'tables', async () => {
    const runs = await Promise.all(
      serviceNames.map((service) =>
        runMigrations(service, { NODE_COMPILE_CACHE: compileCache, DATABASE_URL: urls[service] }, { stopped: true }),
      ),
    );
    const faults = runs.flatMap(({ fault }) => fault ?? []);
    if (faults.length > 0) throw new Error(faults.join('\n'));
    const ran = runs.some(({ schemas }) => schemas.some((schema) => schema.ran.length > 0));
    return { value: undefined, detail: ran ? 'migrated' : 'up to date' };
  });
  return urls;
}

type Deployment = { readonly chainId: number; readonly contractAddress: Hex };

async function provideContract(
  rpcUrl: string,
  options: { readonly dataDir: string; readonly secretsDir: string; readonly contractAddress?: Hex },
) {
  const seed = await readOrCreateSeedFile(join(options.secretsDir, 'operator.seed'));
  const keys = createOperatorKeys({ seed });
  const lanes = Array.from({ length: localLanes }, (_, index) => keys.lane(index));
  const rpc = createRpc({ urls: [rpcUrl], timeoutMs: 10_000 });
  try {
    const chainId = await rpc.chainId();
    if (await isLocalChain(rpc)) for (const { address } of [keys.operator, ...lanes]) await fundLocally(rpc, address);
    const kept = keptState<Deployment>(join(options.dataDir, `contract-${chainId}.json`));
    const knownAddress = options.contractAddress ?? (await kept.read())?.contractAddress;
    const contract = await ensureContract({
      rpc,
      operator: keys.operator,
      lanes,
      ...(knownAddress === undefined ? {} : { knownAddress }),
    });
    await kept.write({ chainId, contractAddress: contract.address });
    const value = {
      chainId,
      contractAddress: contract.address,
      operator: keys.operator.address,
      operatorSeed: hexOfBytes(seed),
    };
    return { value, detail: `${contract.address} on chain ${chainId}${contract.deployed ? ', deployed' : ''}` };
  } finally {
    rpc.close();
  }
}

/** Only low balances: a set balance is in no block, so a chain whose blocks are mined again would lack it. */
async function fundLocally(rpc: ReturnType<typeof createRpc>, address: Hex): Promise<void> {
  const balance = BigInt(await rpc.call<string>('eth_getBalance', [address, 'latest']));
  if (balance < localBalance / 2n) await setLocalBalance(rpc, address, localBalance);
}

async function isLocalChain(rpc: ReturnType<typeof createRpc>): Promise<boolean> {
  return (await rpc.call<string>('web3_clientVersion', [])).startsWith('anvil/');
}

async function provideAccount(
  { databaseUrl, rpcUrl }: Pick<Addresses, 'databaseUrl' | 'rpcUrl'>,
  chain: { readonly chainId: number; readonly contractAddress: Hex; readonly operator: Hex },
  options: { readonly secretsDir: string },
) {
  const signer = createSeedCustody({ seed: await readOrCreateSeedFile(join(options.secretsDir, 'custody.seed')) });
  const { chainId, contractAddress: contract, operator } = chain;
  await refuseOperatorSeed(signer, operator);
  const rpc = createRpc({ urls: [rpcUrl], timeoutMs: 10_000 });
  const nonceOf = async (user: Hex): Promise<bigint> =>
    decodeNonces(await ethCall(rpc, { to: contract, data: encodeNonces({ user }) }));
  const database = createDatabase({ url: databaseUrl, schema: accountsSchema, applicationName: 'launcher', logger });
  try {
    const kept = keptState<{ account: Hex; apiKey: string }>(join(options.secretsDir, 'first-account.json'));
    const { account, apiKey, change } = await createAccountStore({ database }).ensureFirstAccount(
      await kept.read(),
      { name: 'First account', email: 'first@example.com' },
      { signer, chainId, contract, operator, nonceOf },
    );
    if (change !== 'none') await kept.write({ account, apiKey });
    return { value: { account, apiKey }, detail: change === 'opened' ? 'opened' : account };
  } finally {
    rpc.close();
    await database.close();
  }
}
