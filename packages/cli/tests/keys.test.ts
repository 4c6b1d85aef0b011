import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { localStart, runCommand, stubChain } from './command-line.ts';

// Every command is a process of its own; a busy machine takes seconds to start some.
jest.setTimeout(60_000);

describe('indelible keys', () => {
  let local: Awaited<ReturnType<typeof localStart>>;
  let address: string;
  const run = (...words: string[]) => runCommand(['keys', ...words], local);
  const json = async (...words: string[]): Promise<unknown> => {
    const { code, out, err } = await run(...words, '--json');
    expect([code, err]).toEqual([0, '']);
    return JSON.parse(out);
  };

  beforeAll(async () => {
    local = await localStart();
    const chain = await stubChain([true]);
    await local.connect(chain.url);
    const words = ['accounts', 'create', '--name', 'Ada', '--email', 'ada@example.com', '--json'];
    ({ address } = JSON.parse((await runCommand(words, local)).out) as { address: string });
    await chain.stop();
  });
  afterAll(() => local.dispose());

  it('creates a key, lists it without its text, and revokes it: the chain is not needed for that', async () => {
    const options = ['--account', address, '--name', 'reader', '--scopes', 'read', '--expires', '2999-01-01'];
    const { id, apiKey } = (await json('create', ...options)) as { id: string; apiKey: string };
    expect(apiKey).toMatch(/^ind_[0-9A-Za-z]{36}$/);
    const listed = (await json('list', '--account', address)) as { id: string }[];
    expect(listed.find((key) => key.id === id)).toEqual({
      id,
      name: 'reader',
      hint: `${apiKey.slice(0, 8)}…`,
      scopes: ['read'],
      createdAt: expect.any(String),
      expiresAt: '2999-01-01T00:00:00.000Z',
      revokedAt: null,
      lastUsedAt: null,
    });
    expect(JSON.stringify(listed)).not.toContain(apiKey);
    expect(await json('revoke', id)).toEqual({ id, revokedAt: expect.any(String) });
  });

  it('makes a key with both scopes that does not expire when nothing else is said', async () => {
    const { id } = (await json('create', '--account', address, '--name', 'both')) as { id: string };
    const listed = (await json('list', '--account', address)) as { id: string }[];
    expect(listed.find((key) => key.id === id)).toMatchObject({ scopes: ['read', 'stamp'], expiresAt: null });
  });

  it('lists keys as a table for people', async () => {
    const { code, out } = await run('list', '--account', address.toLowerCase());
    expect(code).toBe(0);
    expect(out).toMatch(/^Id +Key +Name +Scopes +Created +Expires +Last used +Revoked\n/);
    expect(out).toMatch(/\S{36} {2}ind_\S{4}… {2}first +read,stamp +\S+Z +– +– +–\n/);
  });

  it('says in one line what it does not know, and ends with 1', async () => {
    const nobody = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
    const unknown = `indelible: there is no account with the address ${nobody}\n`;
    expect(await run('list', '--account', nobody)).toEqual({ code: 1, out: '', err: unknown });
    expect(await run('create', '--account', nobody, '--name', 'x', '--json')).toEqual({
      code: 1,
      out: '',
      err: unknown,
    });
    expect(await run('revoke', randomUUID())).toEqual({
      code: 1,
      out: '',
      err: 'indelible: there is no key with that id\n',
    });
  });

  it('ends with 2 for an expiry that is past', async () => {
    const { code, err } = await run('create', '--account', address, '--name', 'x', '--expires', '2020-01-01');
    expect([code, err]).toEqual([2, 'indelible: the expiry must be a moment in the future\n']);
  });

  it('says that Postgres is unreachable, or has no tables yet, without an address or a password (I10)', async () => {
    const { folder } = local;
    const words = ['keys', 'list', '--account', address];
    const away = { DATABASE_URL: 'postgres://someone:secret@127.0.0.1:1/x' };
    expect(await runCommand(words, { folder, environment: away })).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(
        /^indelible: Postgres at 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\): check DATABASE_URL\n$/,
      ),
    });
    const empty = new URL(local.database.url);
    empty.pathname = '/postgres';
    expect(await runCommand(words, { folder, environment: { DATABASE_URL: empty.href } })).toEqual({
      code: 1,
      out: '',
      err: 'indelible: the database has no tables yet: run `npm start` or `indelible migrate` first\n',
    });
  });
});
