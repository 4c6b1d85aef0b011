export { callRpc } from '@indelible/ethereum/local-chain';
export { type AnvilSettings, chainAnswers, DEVELOPMENT_CHAIN_ID, findAnvil, startAnvil } from './native/anvil.ts';
export { KAFKA_ARTIFACTS, KAFKA_DOWNLOAD, kafkaAnswers, kafkaArguments, randomClusterId } from './native/kafka.ts';
export { findPostgresFolder } from './native/postgres-program.ts';
export { REGISTRY_ARTIFACT, REGISTRY_DOWNLOAD } from './native/schema-registry.ts';
export { readAddresses, readToolEnvironment, serverEnvironment, type ToolEnvironment } from './servers/config.ts';
export {
  createInfrastructure,
  type Infrastructure,
  type InfrastructureOptions,
} from './servers/create-infrastructure.ts';
export { composeProject, discardInfrastructure } from './servers/data-folder.ts';
export { composeAddresses, composeVariables, dockerAnswers } from './servers/docker.ts';
export { findProgram } from './servers/find-program.ts';
export { describeError, InfrastructureError } from './servers/infrastructure-error.ts';
export { findJava } from './servers/java.ts';
export { MavenDownloads } from './servers/maven.ts';
export type { ChainOptions } from './servers/native-parts.ts';
export { lockDirectory, parseIdentity } from './servers/owner-lock.ts';
export {
  ADDRESS_OF,
  type Addresses,
  type OnStep,
  PART_NAMES,
  type PartName,
  type Provider,
  type Step,
  type UnexpectedExit,
} from './servers/parts.ts';
export { anyFreePort, choosePorts, isPortFree, type PortUse } from './servers/ports.ts';
export { identifyProcess, isAlive, type ProcessIdentity } from './servers/process-identity.ts';
export { runStep } from './servers/steps.ts';
export { type ProcessExit, type Server, type ServerSpec, Supervisor } from './servers/supervisor.ts';
export { waitUntil } from './servers/wait-until.ts';
