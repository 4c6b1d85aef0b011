export { provideMessages } from './provide-messages.ts';
export { type MigrationRun, runMigrations, type SchemaRun } from './run-migrations.ts';
export { type ServiceName, serviceNames } from './service-names.ts';
