import type { AccountSettings } from '@indelible/accounts';
import { type Hex, parseAddress } from '@indelible/identifiers';
import { HttpError, invalid } from '../../errors/http-error.ts';
import type { Handler } from '../edge/call.ts';
import { accountSettings, type StorageType } from '../responses/account-settings.ts';

type UserPorts = {
  readonly settingsOf: (account: Hex) => Promise<AccountSettings | undefined>;
  readonly storageType: StorageType;
};

/** GET /users/me: the caller's own settings, unmasked. */
export const getCurrentUserRoute =
  ({ settingsOf, storageType }: UserPorts): Handler =>
  async ({ account }) => {
    const settings = await settingsOf(account);
    if (settings === undefined) throw new HttpError(404, 'User not found');
    return { status: 200, body: accountSettings(settings, { storageType, toItself: true }) };
  };

/** GET /users/{user_address}: any account's settings; the e-mail is masked unless it is the caller's. */
export const getUserRoute =
  ({ settingsOf, storageType }: UserPorts): Handler =>
  async ({ account, params: { user_address: given = '' } }) => {
    const address = parseAddress(given);
    if (address === undefined) throw invalid('user_address', 'must be an address, with a right checksum in mixed case');
    const settings = await settingsOf(address);
    if (settings === undefined) throw new HttpError(404, 'User not found', { details: `user_address: ${given}` });
    return { status: 200, body: accountSettings(settings, { storageType, toItself: address === account }) };
  };
