import { bytesOfHex, checksumAddress, type Hex } from '@indelible/identifiers';
import { arrayOf, type Database } from '@indelible/postgres';
import { AccountRequestError } from '../account-request-error.ts';
import { parseScopes } from '../keys/scopes.ts';
import { type AccountRow, markDisabled, selectAccount, selectAccounts } from './account-queries.ts';
import { ensureFirstAccount, type FirstAccount } from './first-account.ts';
import { type ApiKeyRow, insertKey, markRevoked, selectKeys } from './key-queries.ts';
import { type GrantTerms, type OpenedAccount, prepareAccount, writeAccount } from './open-account.ts';
import { line, type NewAccount } from './profile.ts';
import { type AccountSettings, selectSettings } from './settings.ts';

/** Accounts and keys. Addresses are lower-case; every method rejects with AccountRequestError or a fault of Postgres. */
export type AccountStore = {
  /** Account, first key and AccountOpened, all or nothing. */
  openAccount(request: NewAccount, terms: GrantTerms): Promise<OpenedAccount>;
  /** @see ensureFirstAccount */
  ensureFirstAccount(
    remembered: { readonly account: Hex; readonly apiKey: string } | undefined,
    request: NewAccount,
    terms: GrantTerms,
  ): Promise<FirstAccount>;
  /** A key made without scopes has both; without `expiresAt` it does not expire. */
  createKey(request: {
    readonly account: Hex;
    readonly name: string;
    readonly scopes?: readonly string[];
    readonly expiresAt?: Date;
  }): Promise<{ readonly id: string; readonly apiKey: string }>;
  /** Ends a key for good; a repeat returns the first time. */
  revokeKey(id: string): Promise<{ readonly id: string; readonly revokedAt: Date }>;
  /** Oldest first. Rejects when there is no such account. */
  listKeys(account: Hex): Promise<readonly ApiKeyRow[]>;
  /** In the order of their opening. `after`: those opened later than that account. */
  listAccounts(page: {
    readonly limit: number;
    readonly after?: Hex;
    readonly email?: string;
  }): Promise<readonly AccountRow[]>;
  /** Rejects when there is no such account. */
  showAccount(account: Hex): Promise<AccountRow>;
  /**
   * Within seconds no replica accepts a key of the account; requests accepted before continue. A repeat keeps the first
   * time. Rejects when there is no such account.
   */
  disableAccount(account: Hex): Promise<AccountRow>;
  /** Accepts the account's keys again, those that are not revoked or expired. Rejects when there is no such account. */
  enableAccount(account: Hex): Promise<AccountRow>;
  settingsOf(account: Hex): Promise<AccountSettings | undefined>;
  accountExists(account: Hex): Promise<boolean>;
  /** Whether an account has the e-mail address, ignoring case. Several may: it is not unique. */
  isEmailInUse(email: string): Promise<boolean>;
  /** Notes that these grants are on chain; ignores repeats and addresses without an account. */
  noteGrantsSeen(accounts: readonly Hex[]): Promise<void>;
};

const uuidShape = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** @param options.database of {@link accountsSchema}; `now` is the wall clock */
export function createAccountStore(options: { readonly database: Database; readonly now?: () => Date }): AccountStore {
  const { database } = options;
  const now = options.now ?? (() => new Date());

  async function accountExists(account: Hex): Promise<boolean> {
    const { rowCount } = await database.query({
      name: 'account-exists',
      text: 'select from accounts where address = $1',
      values: [bytesOfHex(account)],
    });
    return rowCount === 1;
  }

  async function showAccount(account: Hex): Promise<AccountRow> {
    const row = await selectAccount(database, account, now());
    if (row === undefined) throw unknownAccount(account);
    return row;
  }

  return {
    async openAccount(request, terms) {
      const prepared = await prepareAccount(database, request, terms);
      return database.transaction((client) => writeAccount(client, database.schema, prepared, now()));
    },
    ensureFirstAccount: (remembered, request, terms) => ensureFirstAccount(database, remembered, request, terms, now()),
    async createKey({ account, name, scopes, expiresAt }) {
      const createdAt = now();
      if (expiresAt !== undefined && !(expiresAt > createdAt))
        throw new AccountRequestError('invalid', 'the expiry must be a moment in the future');
      const key = await insertKey(database, {
        account,
        name: line('name', name),
        scopes: parseScopes(scopes),
        createdAt,
        expiresAt: expiresAt ?? null,
      });
      if (key === undefined) throw unknownAccount(account);
      return key;
    },
    async revokeKey(id) {
      const revokedAt = uuidShape.test(id) ? await markRevoked(database, id, now()) : undefined;
      if (revokedAt === undefined) throw new AccountRequestError('unknown-key', 'there is no key with that id');
      return { id: id.toLowerCase(), revokedAt };
    },
    async listKeys(account) {
      const keys = await selectKeys(database, account);
      if (keys.length === 0 && !(await accountExists(account))) throw unknownAccount(account);
      return keys;
    },
    async listAccounts(page) {
      if (page.after !== undefined) await showAccount(page.after);
      return selectAccounts(database, page, now());
    },
    showAccount,
    async disableAccount(account) {
      await markDisabled(database, account, now());
      return showAccount(account);
    },
    async enableAccount(account) {
      await markDisabled(database, account, null);
      return showAccount(account);
    },
    settingsOf: (account) => selectSettings(database, account),
    accountExists,
    async isEmailInUse(email) {
      const { rowCount } = await database.query('select from accounts where lower(email) = lower($1) limit 1', [
        email.trim(),
      ]);
      return rowCount === 1;
    },
    async noteGrantsSeen(accounts) {
      await database.query({
        name: 'note-grants-seen',
        text: 'update accounts set grant_seen = true where address = any($1::bytea[]) and not grant_seen',
        values: [arrayOf.bytea(accounts)],
      });
    },
  };
}

const unknownAccount = (account: Hex): AccountRequestError =>
  new AccountRequestError('unknown-account', `there is no account with the address ${checksumAddress(account)}`);
