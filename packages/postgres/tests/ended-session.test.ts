import { createLogger } from '@indelible/service-runtime';
import { type EndingServer, endingServer } from '@indelible/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { asOwner, createDatabase, type Database, pendingMigrations } from '../src/index.ts';

let server: EndingServer;
let database: Database;
beforeAll(async () => {
  server = await endingServer();
  const logger = createLogger({ service: 'test', level: 'silent' });
  database = createDatabase({ url: server.url, schema: 'public', applicationName: 'test', logger });
});
afterAll(async () => {
  await database.close();
  await server.close();
});

it('a session that the server ends while it is handed out rejects what it was wanted for, and ends no process', async () => {
  await expect(database.transaction((client) => client.query('select 1'))).rejects.toThrow('not queryable');
  await expect(database.query('select 1')).rejects.toThrow('administrator command');
  await expect(asOwner(server.url, 'any')).rejects.toThrow('not queryable');
  const pending = pendingMigrations({ url: server.url, schema: 'any', migrations: [] });
  await expect(pending).rejects.toThrow('not queryable');
});
