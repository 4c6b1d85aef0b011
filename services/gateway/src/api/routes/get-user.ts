import type { AccountSettings } from '@indelible/accounts';
import { type Hex, parseAddress } from '@indelible/identifiers';
import { HttpError, invalid } from '../../errors/http-error.ts';
import type { Handler } from '../edge/call.ts';
import { accountSettings, type StorageType } from '../responses/account-settings.ts';

/** GET /users/{user_address}: the settings of any account; of another than the caller's with its e-mail masked. */
export function getUserRoute(options: {
  readonly settingsOf: (account: Hex) => Promise<AccountSettings | undefined>;
  readonly storageType: StorageType;
}): Handler {
  return async (call) => {
    const address = parseAddress(call.params.user_address as string);
    if (address === undefined) throw invalid('user_address', 'must be an address, with a right checksum in mixed case');
    const settings = await options.settingsOf(address);
    if (settings === undefined)
      throw new HttpError(404, 'User not found', { details: `user_address: ${call.params.user_address}` });
    const toItself = address === call.account;
    return { status: 200, body: accountSettings(settings, { storageType: options.storageType, toItself }) };
  };
}
