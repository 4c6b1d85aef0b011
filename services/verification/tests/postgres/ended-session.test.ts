import { endingServer } from '@indelible/testing';
import { expect, it } from '@jest/globals';
import { openSessions } from '../support/database.ts';

it('a session that the server ends while it is lent rejects the work, and ends no process', async () => {
  const server = await endingServer();
  const { small } = openSessions(server.url);
  const never = new AbortController().signal;
  const work = small.use(`0x${'aa'.repeat(20)}`, (session) => session.query('select 1'), never);
  await expect(work).rejects.toThrow(/not queryable/);
  await small.close();
  await server.close();
});
