import { bytesOfHex, checksumAddress, type Hex } from '@indelible/identifiers';
import type { Client } from '@indelible/postgres';

/**
 * What AccountSettings of the API has, except `storage_type`, which is the deployment's. The e-mail is unchanged:
 * readers mask it for others.
 */
export type AccountSettings = {
  /** Lower-case. */
  readonly account: Hex;
  readonly name: string;
  readonly email: string;
  readonly persistentId: string;
  readonly description: string;
  readonly displayTimezone: string;
  readonly dateJoined: Date;
  /** The owner address the account stamps under, EIP-55. */
  readonly lastAddress: Hex;
  /** The account's display name. */
  readonly lastName: string;
  /** Whether the grant of that address to the operator was seen on chain. */
  readonly lastIsVerified: boolean;
};

type Row = Omit<AccountSettings, 'account' | 'lastAddress' | 'lastName'>;

export async function selectSettings(client: Client, account: Hex): Promise<AccountSettings | undefined> {
  const { rows } = await client.query<Row>({
    name: 'select-settings',
    text: `select name, email, persistent_id as "persistentId", description, display_timezone as "displayTimezone",
             date_joined as "dateJoined", grant_seen as "lastIsVerified"
           from accounts where address = $1`,
    values: [bytesOfHex(account)],
  });
  const row = rows[0];
  return row === undefined ? undefined : { account, lastAddress: checksumAddress(account), lastName: row.name, ...row };
}
