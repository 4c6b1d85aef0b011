import type { BlobStoreConfig } from '@indelible/blob-store';
import * as custody from '@indelible/ethereum/custody/settings';
import { publicTopicProvisioning, publicTopicSettings } from '@indelible/public-events/settings';
import {
  allOf,
  brokerSettings,
  chainAddress,
  chainId,
  contractAddress,
  databaseSettings,
  indexerUrl,
  internalClientSettings,
  mapped,
  matching,
  optional,
  rpcTimeoutMs,
  rpcUrls,
  type Setting,
  startBlock,
  textOrPath,
  webUrl,
} from '@indelible/service-runtime';

/** What each command reads. */

export const store = allOf(databaseSettings);
export const broker = allOf(brokerSettings);
export const indexer = allOf({ indexerUrl, ...internalClientSettings });
export const rebuild = allOf({ ...databaseSettings, ...brokerSettings });
export const chainRebuild = allOf({
  ...databaseSettings,
  rpcUrls,
  chainId,
  contractAddress,
  startBlock,
  rpcTimeoutMs,
});
export const { publicTopicPrefix } = publicTopicSettings;
export const replay = allOf({ ...databaseSettings, ...brokerSettings, ...publicTopicSettings });

export const opening = allOf({
  ...databaseSettings,
  rpcUrls,
  chainId,
  contractAddress,
  operatorAddress: chainAddress('OPERATOR_ADDRESS', "The operator's address, to which new accounts grant"),
  custodySeed: optional(
    textOrPath('CUSTODY_SEED', {
      meaning: 'The seed of the keys of accounts; its file may be readable by its owner and group alone',
      values: 'hex of 16 to 64 bytes',
    }),
    'the file of a local start',
  ),
});

const nothing: Setting<undefined> = { variables: [], read: () => undefined };
const chain = mapped(allOf({ rpcUrls, contractAddress }), ({ rpcUrls, contractAddress }) => ({
  rpcUrls,
  contract: contractAddress,
}));

/** The doctor's checks of the chain or of stored files need more. */
export const doctorSettings = (parts: {
  readonly chain: boolean;
  readonly blobStore: Setting<BlobStoreConfig> | undefined;
}) =>
  allOf({
    ...databaseSettings,
    chainId,
    chain: parts.chain ? chain : nothing,
    blobStore: parts.blobStore ?? nothing,
  });

/** Settings of the public topic. */
export const publicTopic = allOf({ prefix: publicTopicSettings.publicTopicPrefix, ...publicTopicProvisioning });

/** Chain settings; a new installation has no contract yet. */
export const knownChain = mapped(
  allOf({ rpcUrls, chainId: optional(chainId), contract: optional(contractAddress) }),
  ({ rpcUrls, chainId, contract }) => ({ rpcUrls, chainId, contract }),
);

/** The operator's own seed, for what only it can sign. */
export const operatorSeed = optional(custody.operatorSeed, 'the file of a local start');
export const laneKeys = custody.givenLaneKeys;
export const { laneCount } = custody;

/** What stamping's program for lanes reads. */
export const lanes = allOf({ ...databaseSettings, rpcUrls, chainId, contractAddress, laneKeys });

const databasePassword = (name: string, role: string) =>
  optional(
    matching(`${name}_DATABASE_PASSWORD`, {
      meaning: `The password that ${role} is given by \`provision database\``,
      shape: /^[!-~]{16,200}$/,
      values: '16 to 200 printable ASCII characters',
      secrecy: 'whole',
    }),
    'the one that it has',
  );

/** The passwords of the database's roles, by user. */
export const databasePasswords = allOf({
  gateway: databasePassword('GATEWAY', 'the role of gateway'),
  stamping: databasePassword('STAMPING', 'the role of stamping'),
  'chain-indexer': databasePassword('CHAIN_INDEXER', 'the role of chain-indexer'),
  storage: databasePassword('STORAGE', 'the role of storage'),
  verification: databasePassword('VERIFICATION', 'the role of verification'),
  notifications: databasePassword('NOTIFICATIONS', 'the role of notifications'),
  operator: databasePassword('OPERATOR', 'the role of commands that write'),
  reader: databasePassword('READER', 'the role of `status` and `doctor`'),
});

/** What stamping's program behind `indelible restore` reads. */
export const restore = allOf({ lanes, ...brokerSettings });

const internalServer = (name: string, service: string) =>
  optional(webUrl(name, { meaning: `The internal server of ${service}` }), 'that of a local start');

/** Each service's internal server, by its name. */
export const internalServers = allOf({
  gateway: internalServer('GATEWAY_INTERNAL_URL', 'gateway'),
  stamping: internalServer('STAMPING_URL', 'stamping'),
  'chain-indexer': optional(indexerUrl, 'that of a local start'),
  storage: internalServer('STORAGE_URL', 'storage'),
  verification: internalServer('VERIFICATION_URL', 'verification'),
  notifications: internalServer('NOTIFICATIONS_URL', 'notifications'),
});

/** Every variable that some command reads, for documents. */
export const everySetting = allOf({
  indexer,
  chainRebuild,
  replay,
  opening,
  operatorSeed,
  lanes,
  publicTopic,
  databasePasswords,
  internalServers,
});
