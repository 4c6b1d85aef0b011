export { callRpc } from '@indelible/ethereum/local-chain';
export { readAddresses, readToolEnvironment, serverEnvironment, type ToolEnvironment } from './config.ts';
export { createInfrastructure, type Infrastructure, type InfrastructureOptions } from './create-infrastructure.ts';
export { composeProject, discardInfrastructure } from './data-folder.ts';
export { composeAddresses, composeVariables, dockerAnswers } from './docker.ts';
export { findProgram } from './find-program.ts';
export { describeError, InfrastructureError } from './infrastructure-error.ts';
export { findJava } from './java.ts';
export { MavenDownloads } from './maven.ts';
export { type AnvilSettings, chainAnswers, DEVELOPMENT_CHAIN_ID, findAnvil, startAnvil } from './native/anvil.ts';
export { KAFKA_ARTIFACTS, KAFKA_DOWNLOAD, kafkaAnswers, kafkaArguments, randomClusterId } from './native/kafka.ts';
export { findPostgresFolder } from './native/postgres-program.ts';
export { REGISTRY_ARTIFACT, REGISTRY_DOWNLOAD } from './native/schema-registry.ts';
export type { ChainOptions } from './native-parts.ts';
export { lockDirectory, parseIdentity } from './owner-lock.ts';
export {
  ADDRESS_OF,
  type Addresses,
  type OnStep,
  PART_NAMES,
  type PartName,
  type Provider,
  type Step,
  type UnexpectedExit,
} from './parts.ts';
export { anyFreePort, choosePorts, isPortFree, type PortUse } from './ports.ts';
export { identifyProcess, isAlive, type ProcessIdentity } from './process-identity.ts';
export { runStep } from './steps.ts';
export { type ProcessExit, type Server, type ServerSpec, Supervisor } from './supervisor.ts';
export { waitUntil } from './wait-until.ts';
