export { arrayOf } from './array-of.ts';
export { buildIndex, buildPartitionedIndex, dropIndex, replaceIndex } from './build-index.ts';
export { decideInTransaction, isConflict } from './conflicts.ts';
export { type Client, createDatabase, type Database, planning } from './database.ts';
export { createLeadership } from './leadership.ts';
export { type Migration, MigrationRefusedError, migrate, pendingMigrations } from './migrate.ts';
export { migrateProgram } from './migrate-program.ts';
export { type SessionAddress, sessionAddress } from './session-address.ts';
export { openWatchedSession, type WatchedSession } from './watched-session.ts';
