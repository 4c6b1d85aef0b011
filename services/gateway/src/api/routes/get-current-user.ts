import type { AccountSettings } from '@indelible/accounts';
import type { Hex } from '@indelible/identifiers';
import { HttpError } from '../../errors/http-error.ts';
import type { Handler } from '../edge/call.ts';
import { accountSettings, type StorageType } from '../responses/account-settings.ts';

/** GET /users/me: the caller's own settings, nothing masked. */
export function getCurrentUserRoute(options: {
  readonly settingsOf: (account: Hex) => Promise<AccountSettings | undefined>;
  readonly storageType: StorageType;
}): Handler {
  return async (call) => {
    const settings = await options.settingsOf(call.account);
    if (settings === undefined) throw new HttpError(404, 'User not found');
    return { status: 200, body: accountSettings(settings, { storageType: options.storageType, toItself: true }) };
  };
}
