import { createOperatorKeys, createSeedCustody } from '@indelible/ethereum/custody';
import { type AccountOpened, AccountOpened as contract } from '@indelible/messages';
import type { Database } from '@indelible/postgres';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { verifyTypedData } from 'ethers';
import { hasApiKeyShape } from '../src/keys/api-key.ts';
import { type AccountStore, createAccountStore } from '../src/store/account-store.ts';
import { accountsDatabase, terms } from './accounts-database.ts';

const now = new Date('2026-03-01T10:00:00.000Z');
const ada = { name: 'Ada', email: 'ada@example.com' };

// A busy machine takes seconds to make a database.
jest.setTimeout(30_000);

describe('accounts on Postgres', () => {
  let database: Database;
  let store: AccountStore;
  let dispose: () => Promise<void>;
  beforeAll(async () => {
    ({ database, dispose } = await accountsDatabase());
    store = createAccountStore({ database, now: () => now });
  });
  afterAll(() => dispose());

  const eventOf = async (account: string): Promise<{ type: string; version: number; data: AccountOpened }> => {
    const { rows } = await database.query('select type, version, data from events where stream = $1', [
      `account-${account}`,
    ]);
    expect(rows.length).toBe(1);
    return rows[0];
  };

  it('opens an account with its event, whose grant is signed by the account for nonce 0', async () => {
    const opened = await store.openAccount(ada, terms);
    const { type, version, data } = await eventOf(opened.account);
    expect([type, version]).toEqual([contract.type, 1]);
    expect(data).toMatchObject({
      account: opened.account,
      persistentId: opened.persistentId,
      openedAt: now.toISOString(),
      grant: {
        delegate: terms.operator.toLowerCase(),
        contract: terms.contract.toLowerCase(),
        chainId: terms.chainId,
        nonce: 0,
      },
    });
    const signer = verifyTypedData(
      { name: 'CommitmentService', version: '1', chainId: terms.chainId, verifyingContract: terms.contract },
      {
        Grant: [
          { name: 'delegate', type: 'address' },
          { name: 'nonce', type: 'uint256' },
        ],
      },
      { delegate: terms.operator, nonce: 0 },
      data.grant.signature,
    );
    expect(signer.toLowerCase()).toBe(opened.account);
    expect(hasApiKeyShape(opened.apiKey)).toBe(true);
  });

  it('gives every account of concurrent openings an address of its own', async () => {
    const opened = await Promise.all(Array.from({ length: 12 }, () => store.openAccount(ada, terms)));
    expect(new Set(opened.map(({ account }) => account)).size).toBe(12);
    expect(new Set(opened.map(({ persistentId }) => persistentId)).size).toBe(12);
  });

  it('begins with index 0 and uses no index twice, also not one whose opening failed', async () => {
    const before = await highestIndex();
    const failing = {
      ...terms,
      signer: { ...terms.signer, signTypedData: () => Promise.reject(new Error('custody is away')) },
    };
    await expect(store.openAccount(ada, failing)).rejects.toThrow('custody is away');
    const { account } = await store.openAccount(ada, terms);
    expect(account).toBe(await terms.signer.address(before + 2));
    const { rows } = await database.query('select min(derivation_index) as first from accounts');
    expect(rows).toEqual([{ first: 0 }]);
  });

  it('takes no address that the chain knows: a restored database begins below indexes that were used', async () => {
    const used: string[] = [];
    const nonceOf = async (address: string) => (used.push(address) <= 2 ? 1n : 0n);
    const { account } = await store.openAccount(ada, { ...terms, nonceOf });
    expect(used).toHaveLength(3);
    expect(account).toBe(used[2]);
  });

  it("opens nothing from the operator's own seed: its first account would be the operator, and uses up no index", async () => {
    const before = await highestIndex();
    const seed = Buffer.alloc(32, 5);
    const { operator } = createOperatorKeys({ seed });
    const same = { ...terms, signer: createSeedCustody({ seed }), operator: operator.address };
    await expect(store.openAccount(ada, same)).rejects.toThrow("it is the operator's seed (OPERATOR_ADDRESS)");
    await expect(store.ensureFirstAccount(undefined, { ...ada, name: 'Nobody' }, same)).rejects.toThrow('CUSTODY_SEED');
    expect(await highestIndex()).toBe(before);
  });

  it('writes nothing when its event cannot be written', async () => {
    const next = await terms.signer.address((await highestIndex()) + 1);
    await database.query(
      `insert into events (stream, version, type, type_version, message_id, data) values ($1, 1, 'x', 1, gen_random_uuid(), '{}')`,
      [`account-${next}`],
    );
    await expect(store.openAccount(ada, terms)).rejects.toMatchObject({ code: '23505' });
    expect(await store.accountExists(next)).toBe(false);
  });

  it('answers the settings, verified once the grant was seen', async () => {
    const opened = await store.openAccount({ ...ada, description: 'engines', displayTimezone: 'Europe/London' }, terms);
    const settings = await store.settingsOf(opened.account);
    expect(settings).toMatchObject({
      ...ada,
      persistentId: opened.persistentId,
      description: 'engines',
      displayTimezone: 'Europe/London',
      dateJoined: now,
      lastName: 'Ada',
      lastIsVerified: false,
    });
    expect(settings?.lastAddress).not.toBe(opened.account);
    expect(settings?.lastAddress.toLowerCase()).toBe(opened.account);
    await store.noteGrantsSeen([opened.account, `0x${'00'.repeat(20)}`]);
    expect(await store.settingsOf(opened.account)).toMatchObject({ lastIsVerified: true });
    expect(await store.settingsOf(`0x${'00'.repeat(20)}`)).toBeUndefined();
  });

  it('makes keys with scopes and expiry, lists them without their text, and ends them for good', async () => {
    const { account } = await store.openAccount(ada, terms);
    const expiresAt = new Date('2027-01-01T00:00:00Z');
    const made = await store.createKey({ account, name: 'reader', scopes: ['read'], expiresAt });
    expect(await store.revokeKey(made.id)).toEqual({ id: made.id, revokedAt: now });
    const later = createAccountStore({ database, now: () => new Date('2026-04-01T00:00:00Z') });
    expect(await later.revokeKey(made.id.toUpperCase())).toEqual({ id: made.id, revokedAt: now });
    const keys = await store.listKeys(account);
    expect(keys.map(({ name, scopes }) => [name, scopes])).toEqual(
      expect.arrayContaining([
        ['first', ['read', 'stamp']],
        ['reader', ['read']],
      ]),
    );
    expect(keys.find(({ id }) => id === made.id)).toMatchObject({ expiresAt, revokedAt: now, lastUsedAt: null });
    expect(JSON.stringify(keys)).not.toContain(made.apiKey);
  });

  it('lists accounts in the order of their opening, in pages, also by e-mail address', async () => {
    const first = await store.openAccount({ ...ada, email: 'grace@example.com' }, terms);
    const second = await store.openAccount({ ...ada, email: 'Grace@Example.com' }, terms);
    const addressesOf = async (page: Parameters<AccountStore['listAccounts']>[0]) =>
      (await store.listAccounts(page)).map(({ account }) => account);
    expect(await addressesOf({ limit: 10, email: 'GRACE@example.com' })).toEqual([first.account, second.account]);
    expect(await addressesOf({ limit: 1, email: 'grace@example.com' })).toEqual([first.account]);
    expect(await addressesOf({ limit: 10, after: first.account })).toEqual([second.account]);
    expect(await addressesOf({ limit: 10, after: second.account })).toEqual([]);
  });

  it('shows an account with its limit and its working keys, disables and enables it', async () => {
    const { account, persistentId } = await store.openAccount({ ...ada, description: 'engines' }, terms);
    const ended = await store.createKey({ account, name: 'ended' });
    await store.revokeKey(ended.id);
    await database.query(
      `update accounts set rate_limit_per_second = 7, rate_limit_burst = 21 where persistent_id = $1`,
      [persistentId],
    );
    const shown = {
      account,
      persistentId,
      ...ada,
      description: 'engines',
      displayTimezone: 'UTC',
      dateJoined: now,
      grantSeen: false,
      disabledAt: null,
      rateLimit: { perSecond: 7, burst: 21 },
      keys: 1,
    };
    expect(await store.showAccount(account)).toEqual(shown);
    expect(await store.disableAccount(account)).toEqual({ ...shown, disabledAt: now });
    const later = createAccountStore({ database, now: () => new Date('2026-04-01T00:00:00Z') });
    expect(await later.disableAccount(account)).toEqual({ ...shown, disabledAt: now });
    expect(await later.enableAccount(account)).toEqual(shown);
  });

  it('refuses what cannot be done, with a sentence for the caller', async () => {
    const account = `0x${'00'.repeat(20)}` as const;
    const { account: existing } = await store.openAccount(ada, terms);
    await expect(store.createKey({ account, name: 'x' })).rejects.toMatchObject({ code: 'unknown-account' });
    await expect(store.listKeys(account)).rejects.toMatchObject({ code: 'unknown-account' });
    for (const request of [store.showAccount, store.disableAccount, store.enableAccount])
      await expect(request(account)).rejects.toMatchObject({ code: 'unknown-account' });
    await expect(store.listAccounts({ limit: 1, after: account })).rejects.toMatchObject({ code: 'unknown-account' });
    await expect(store.createKey({ account: existing, name: 'x', expiresAt: now })).rejects.toThrow(
      'the expiry must be a moment in the future',
    );
    await expect(store.createKey({ account: existing, name: 'x', scopes: ['write'] })).rejects.toThrow('"write"');
    for (const id of ['not-an-id', '00000000-0000-4000-8000-000000000000'])
      await expect(store.revokeKey(id)).rejects.toMatchObject({ code: 'unknown-key' });
  });

  it('keeps no key anywhere but as its hash (I10)', async () => {
    const opened = await store.openAccount(ada, terms);
    const made = await store.createKey({ account: opened.account, name: 'second' });
    const { rows } = await database.query<{ text: string }>(
      `select query_to_xml('select * from ' || quote_ident(table_name), true, false, '')::text as text
       from information_schema.tables where table_schema = $1`,
      [database.schema],
    );
    const everything = rows.map(({ text }) => text).join();
    expect(everything).toContain(opened.persistentId);
    for (const { apiKey } of [opened, made])
      for (const form of [
        apiKey,
        apiKey.slice(4),
        Buffer.from(apiKey).toString('base64'),
        Buffer.from(apiKey).toString('hex'),
      ])
        expect(everything).not.toContain(form);
  });

  const highestIndex = async (): Promise<number> => {
    const { rows } = await database.query<{ last: number }>('select last_value as last from account_indexes');
    return rows[0]?.last ?? -1;
  };
});
