import { createDatabase, type Database } from '@indelible/postgres';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createAuthenticator } from '../src/authentication/authenticator.ts';
import { createApiKey } from '../src/keys/api-key.ts';
import { accountsSchema } from '../src/schema.ts';
import { type AccountStore, createAccountStore } from '../src/store/account-store.ts';
import type { OpenedAccount } from '../src/store/open-account.ts';
import { accountsDatabase, logger, terms } from './accounts-database.ts';

const start = Date.parse('2026-03-01T10:00:00.000Z');

// A busy machine takes seconds to make a database.
jest.setTimeout(30_000);

describe('authentication on Postgres', () => {
  let database: Database;
  let store: AccountStore;
  let opened: OpenedAccount;
  let dispose: () => Promise<void>;
  beforeAll(async () => {
    ({ database, dispose } = await accountsDatabase());
    store = createAccountStore({ database, now: () => new Date(start) });
    opened = await store.openAccount({ name: 'Ada', email: 'ada@example.com' }, terms);
  });
  afterAll(() => dispose());

  it('knows whom a key speaks for and what it may do', async () => {
    const authenticator = createAuthenticator({ database, logger });
    const reader = await store.createKey({ account: opened.account, name: 'reader', scopes: ['read'] });
    const { account, keyId } = opened;
    expect(await authenticator.authenticate(opened.apiKey, start)).toEqual({
      account,
      keyId,
      scopes: ['read', 'stamp'],
    });
    expect(await authenticator.authenticate(reader.apiKey, start)).toEqual({
      account,
      keyId: reader.id,
      scopes: ['read'],
    });
    expect(await authenticator.authenticate(createApiKey(), start)).toEqual({ fault: 'unknown' });
    expect(await authenticator.authenticate(`Bearer ${opened.apiKey}`, start)).toEqual({ fault: 'malformed' });
  });

  it("returns the account's own rate limit with the key, and none where the account has none", async () => {
    const authenticator = createAuthenticator({ database, logger });
    expect(await authenticator.authenticate(opened.apiKey, start)).not.toHaveProperty('rateLimit');
    await database.query('update accounts set rate_limit_per_second = 7, rate_limit_burst = 21');
    const rateLimit = { perSecond: 7, burst: 21 };
    expect(await authenticator.authenticate(opened.apiKey, start + 2_000)).toMatchObject({ rateLimit });
    await database.query('update accounts set rate_limit_per_second = null, rate_limit_burst = null');
  });

  it('refuses a revoked key on every replica once its cached reading is over', async () => {
    const replicas = [1, 2].map(() => createAuthenticator({ database, logger, cacheTtlMs: 2_000 }));
    const { id, apiKey } = await store.createKey({ account: opened.account, name: 'short-lived' });
    for (const replica of replicas) expect(await replica.authenticate(apiKey, start)).toMatchObject({ keyId: id });
    await store.revokeKey(id);
    for (const replica of replicas)
      expect(await replica.authenticate(apiKey, start + 2_000)).toEqual({ fault: 'revoked' });
  });

  it('refuses all keys of a disabled account on every replica once their cached readings are over, until it is enabled', async () => {
    const { account, apiKey } = await store.openAccount({ name: 'Eve', email: 'eve@example.com' }, terms);
    const { apiKey: second } = await store.createKey({ account, name: 'second', scopes: ['read'] });
    const replicas = [1, 2].map(() => createAuthenticator({ database, logger, cacheTtlMs: 2_000 }));
    const answersAt = (now: number) =>
      Promise.all(replicas.flatMap((replica) => [apiKey, second].map((key) => replica.authenticate(key, now))));
    expect(await answersAt(start)).toEqual(Array.from({ length: 4 }, () => expect.objectContaining({ account })));
    await store.disableAccount(account);
    expect(await answersAt(start + 2_000)).toEqual(Array.from({ length: 4 }, () => ({ fault: 'disabled' })));
    expect(await replicas[0]?.authenticate(opened.apiKey, start)).toMatchObject({ account: opened.account });
    await store.enableAccount(account);
    expect(await answersAt(start + 4_000)).toEqual(
      Array.from({ length: 4 }, () => expect.objectContaining({ account })),
    );
  });

  it('refuses a key at the instant it expires, also from the cache', async () => {
    const authenticator = createAuthenticator({ database, logger });
    const expiresAt = new Date(start + 1_000);
    const { apiKey } = await store.createKey({ account: opened.account, name: 'expiring', expiresAt });
    expect(await authenticator.authenticate(apiKey, start + 999)).toMatchObject({ account: opened.account });
    expect(await authenticator.authenticate(apiKey, start + 1_000)).toEqual({ fault: 'expired' });
  });

  it('knows a key that was made after somebody had tried it, once the negative reading is over', async () => {
    const authenticator = createAuthenticator({ database, logger, cacheTtlMs: 2_000 });
    const { id, apiKey } = await store.createKey({ account: opened.account, name: 'withheld' });
    await database.query('update api_keys set hash = sha256(hash) where id = $1', [id]);
    expect(await authenticator.authenticate(apiKey, start)).toEqual({ fault: 'unknown' });
    await database.query('update api_keys set hash = sha256(convert_to($2, $3)) where id = $1', [id, apiKey, 'UTF8']);
    expect(await authenticator.authenticate(apiKey, start + 1_999)).toEqual({ fault: 'unknown' });
    expect(await authenticator.authenticate(apiKey, start + 2_000)).toMatchObject({ keyId: id });
  });

  it('notes last uses in the background: nothing per request, the newest of each key when written', async () => {
    const authenticator = createAuthenticator({ database, logger });
    const { id, apiKey } = await store.createKey({ account: opened.account, name: 'used' });
    await authenticator.start();
    for (let i = 0; i < 10; i++) await authenticator.authenticate(apiKey, start + i);
    expect(await lastUseOf(id)).toBeNull();
    await authenticator.stop();
    expect(await lastUseOf(id)).toEqual(new Date(start + 9));
    const behind = createAuthenticator({ database, logger });
    await behind.authenticate(apiKey, start + 1);
    await behind.stop();
    expect(await lastUseOf(id)).toEqual(new Date(start + 9));
  });

  it('says to come again, not "unauthorised", when Postgres is unavailable', async () => {
    const unreachable = new URL(database.url);
    unreachable.port = '1';
    const away = createDatabase({ url: unreachable.href, schema: accountsSchema, applicationName: 'away', logger });
    const authenticator = createAuthenticator({ database: away, logger });
    await expect(authenticator.authenticate(opened.apiKey, start)).rejects.toMatchObject({ retryable: true });
    await away.close();
  });

  const lastUseOf = async (id: string): Promise<Date | null | undefined> =>
    (await store.listKeys(opened.account)).find((key) => key.id === id)?.lastUsedAt;
});
