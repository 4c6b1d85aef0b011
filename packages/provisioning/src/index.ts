export { addLane, type ConsentingLane, type LaneAddition, operatorOfLane } from './contract/add-lane.ts';
export { DeploymentError } from './contract/deployment-error.ts';
export { deterministicAddress } from './contract/deterministic-address.ts';
export { type DeployedContract, ensureContract } from './contract/ensure-contract.ts';
export { type ContractReport, examineContract } from './contract/examine-contract.ts';
export {
  type LaneGrantRequest,
  readLaneGrants,
  requestLaneGrants,
  type SignedLaneGrants,
  signLaneGrants,
} from './contract/lane-grants.ts';
export { setLocalBalance } from './contract/local-balance.ts';
export { sendLaneGrants } from './contract/send-lane-grants.ts';
export {
  addressOf,
  type DatabaseUser,
  databaseUsers,
  roleOf,
  schemasOf,
  usualRolePrefix,
} from './database-users.ts';
export {
  type DatabaseOptions,
  type DatabaseReport,
  provideDatabase,
  type RoleReport,
} from './provide-database.ts';
export { provideMessages } from './provide-messages.ts';
export { DatabaseProvisionError } from './provide-role.ts';
export { type MigrationRun, runMigrations, type SchemaRun } from './run-migrations.ts';
export { type ServiceName, serviceNames } from './service-names.ts';
