import { randomUUID } from 'node:crypto';
import { grantTypedData } from '@indelible/commitment-contract';
import { refuseOperatorSeed, type SignerPort } from '@indelible/ethereum/custody';
import { appendEvents, newEvent } from '@indelible/event-store';
import { bytesOfHex, type Hex } from '@indelible/identifiers';
import { AccountOpened } from '@indelible/messages';
import type { Client, Database } from '@indelible/postgres';
import { apiScopes } from '../keys/scopes.ts';
import { insertKey } from './key-queries.ts';
import { type NewAccount, readProfile } from './profile.ts';

/** Who signs for owners, and what the grant is good for: this operator, at this contract, on this chain. */
export type GrantTerms = {
  readonly signer: SignerPort;
  readonly chainId: number;
  readonly contract: Hex;
  readonly operator: Hex;
  /** The contract's nonce of an address, as the chain has it now. */
  readonly nonceOf: (address: Hex) => Promise<bigint>;
};

/** `apiKey` is shown once: only its hash is kept. */
export type OpenedAccount = {
  readonly account: Hex;
  readonly persistentId: string;
  readonly keyId: string;
  readonly apiKey: string;
};

/** The contract's nonce of an address that never signed anything for it. */
const firstNonce = 0;
/** Addresses tried for one account. */
const maxSkipped = 10_000;

/** An account that can be written: its address taken from custody, its grant signed. */
export type PreparedAccount = {
  readonly profile: Required<NewAccount>;
  readonly index: number;
  readonly account: Hex;
  readonly grant: AccountOpened['grant'];
};

/**
 * Takes the next index of custody and signs its grant. Outside of any transaction: custody may be a remote signer, and
 * an open transaction would hold back the outbox meanwhile. A wasted index is never used again. An address that the
 * chain knows is in use: after a restore from a backup the sequence of indexes starts again below those already used,
 * and a new account must not inherit another's commitments.
 * @throws ConfigurationError when custody's seed is the operator's
 */
export async function prepareAccount(
  database: Pick<Database, 'query'>,
  request: NewAccount,
  terms: GrantTerms,
): Promise<PreparedAccount> {
  const profile = readProfile(request);
  const { signer, chainId } = terms;
  await refuseOperatorSeed(signer, terms.operator);
  const { index, account } = await takeFreshAddress(database, terms);
  const contract = lowerCase(terms.contract);
  const delegate = lowerCase(terms.operator);
  const typed = grantTypedData({ chainId, contract }, { delegate, nonce: BigInt(firstNonce) });
  const signature = await signer.signTypedData(index, typed);
  return { profile, index, account, grant: { delegate, nonce: firstNonce, signature, chainId, contract } };
}

async function takeFreshAddress(
  database: Pick<Database, 'query'>,
  { signer, nonceOf }: Pick<GrantTerms, 'signer' | 'nonceOf'>,
): Promise<{ index: number; account: Hex }> {
  for (let skipped = 0; skipped < maxSkipped; skipped++) {
    const { rows } = await database.query<{ index: number }>(`select nextval('account_indexes') as index`);
    const index = rows[0]?.index;
    if (index === undefined) throw new Error('Postgres gave no index');
    const account = await signer.address(index);
    if ((await nonceOf(account)) === BigInt(firstNonce)) return { index, account };
  }
  throw new Error(
    `the next ${maxSkipped} addresses of custody are in use on chain: is this the seed of another environment?`,
  );
}

/** Writes the account, its first key (both scopes) and AccountOpened, in the caller's transaction. */
export async function writeAccount(
  client: Client,
  schema: string,
  prepared: PreparedAccount,
  now: Date,
): Promise<OpenedAccount> {
  const { profile, account, grant } = prepared;
  const persistentId = randomUUID();
  await client.query(
    `insert into accounts (address, derivation_index, persistent_id, name, email, description, display_timezone, date_joined)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      bytesOfHex(account),
      prepared.index,
      persistentId,
      profile.name,
      profile.email,
      profile.description,
      profile.displayTimezone,
      now,
    ],
  );
  const key = await insertKey(client, { account, name: 'first', scopes: apiScopes, createdAt: now, expiresAt: null });
  if (key === undefined) throw new Error('an account just written was not found');
  const data = { account, persistentId, grant, openedAt: now.toISOString() };
  await appendEvents(client, schema, [newEvent(AccountOpened, data, { stream: `account-${account}`, version: 1 })]);
  return { account, persistentId, keyId: key.id, apiKey: key.apiKey };
}

const lowerCase = (address: Hex): Hex => address.toLowerCase() as Hex;
