import { createLogger } from '@indelible/service-runtime';
import { describe, expect, it } from '@jest/globals';
import { createDatabase } from './database.ts';

describe('a database', () => {
  it('is closed once, however often it is closed: a service may be stopped while it starts', async () => {
    const logger = createLogger({ service: 'test', level: 'silent' });
    const url = 'postgres://nobody@127.0.0.1:9/none';
    const database = createDatabase({ url, schema: 'none', applicationName: 'test', logger });
    await Promise.all([database.close(), database.close()]);
    await database.close();
    expect(await database.reachable()).toBe(false);
  });
});
