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
