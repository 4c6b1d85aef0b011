import type { Database } from '@indelible/postgres';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type AccountStore, createAccountStore } from '../src/store/account-store.ts';
import { accountsDatabase, terms } from './accounts-database.ts';

const request = { name: 'First account', email: 'first@example.com' };

// A busy machine takes seconds to make a database.
jest.setTimeout(30_000);

describe('the first account', () => {
  let database: Database;
  let store: AccountStore;
  let dispose: () => Promise<void>;
  beforeEach(async () => {
    ({ database, dispose } = await accountsDatabase());
    store = createAccountStore({ database });
  });
  afterEach(() => dispose());

  it('is opened once, however many start at the same time', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => store.ensureFirstAccount(undefined, request, terms)));
    expect(new Set(answers.map(({ account }) => account)).size).toBe(1);
    expect(answers.map(({ change }) => change).sort()).toEqual(['new-key', 'new-key', 'opened']);
    const { rows } = await database.query('select count(*) as opened from events');
    expect(rows).toEqual([{ opened: 1 }]);
  });

  it('stays as remembered while its key works', async () => {
    const opened = await store.ensureFirstAccount(undefined, request, terms);
    expect(await store.ensureFirstAccount(opened, request, terms)).toEqual({ ...opened, change: 'none' });
  });

  it('gets a new key when the remembered one is lost or revoked', async () => {
    const opened = await store.ensureFirstAccount(undefined, request, terms);
    const found = await store.ensureFirstAccount(undefined, request, terms);
    expect(found).toMatchObject({ account: opened.account, change: 'new-key' });
    const [first] = await store.listKeys(opened.account);
    await store.revokeKey(first?.id ?? '');
    const renewed = await store.ensureFirstAccount(opened, request, terms);
    expect(renewed).toMatchObject({ account: opened.account, change: 'new-key' });
    expect(renewed.apiKey).not.toBe(opened.apiKey);
  });

  it("touches nobody else's account: neither one that is remembered from another database, nor the oldest of this", async () => {
    const other = await store.openAccount({ name: 'Ada', email: 'ada@example.com' }, terms);
    const remembered = { account: `0x${'11'.repeat(20)}`, apiKey: other.apiKey } as const;
    const opened = await store.ensureFirstAccount(remembered, request, terms);
    expect(opened.change).toBe('opened');
    expect(opened.account).not.toBe(other.account);
    expect((await store.listKeys(other.account)).length).toBe(1);
  });
});
