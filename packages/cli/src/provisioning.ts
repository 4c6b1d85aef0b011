export { addLane, type ConsentingLane, type LaneAddition, operatorOfLane } from './provisioning/contract/add-lane.ts';
export { DeploymentError } from './provisioning/contract/deployment-error.ts';
export { deterministicAddress } from './provisioning/contract/deterministic-address.ts';
export { type DeployedContract, ensureContract } from './provisioning/contract/ensure-contract.ts';
export { type ContractReport, examineContract } from './provisioning/contract/examine-contract.ts';
export {
  type LaneGrantRequest,
  readLaneGrants,
  requestLaneGrants,
  type SignedLaneGrants,
  signLaneGrants,
} from './provisioning/contract/lane-grants.ts';
export { setLocalBalance } from './provisioning/contract/local-balance.ts';
export { sendLaneGrants } from './provisioning/contract/send-lane-grants.ts';
export {
  addressOf,
  type DatabaseUser,
  databaseUsers,
  roleOf,
  schemasOf,
  usualRolePrefix,
} from './provisioning/database/database-users.ts';
export {
  type DatabaseOptions,
  type DatabaseReport,
  provideDatabase,
  type RoleReport,
} from './provisioning/database/provide-database.ts';
export { DatabaseProvisionError } from './provisioning/database/provide-role.ts';
export { type MigrationRun, runMigrations, type SchemaRun } from './provisioning/database/run-migrations.ts';
export { type ServiceName, serviceNames } from './provisioning/database/service-names.ts';
export { provideMessages } from './provisioning/messages/provide-messages.ts';
