import type { AccountSettings } from '@indelible/accounts';
import type { Hex } from '@indelible/identifiers';
import type { components } from '../generated/openapi.ts';
import type { Handler } from '../http/call.ts';
import { HttpError } from '../http/errors.ts';

/** GET /users/me: the caller's own settings, nothing masked. */
export function getCurrentUserRoute(options: {
  readonly settingsOf: (account: Hex) => Promise<AccountSettings | undefined>;
  readonly storageType: 'gcs' | 'local';
}): Handler {
  return async (call) => {
    const settings = await options.settingsOf(call.account);
    if (settings === undefined) throw new HttpError(404, 'user not found');
    const body: components['schemas']['AccountSettings'] = {
      name: settings.name,
      email: settings.email,
      persistent_id: settings.persistentId,
      description: settings.description,
      display_timezone: settings.displayTimezone,
      date_joined: settings.dateJoined.toISOString(),
      last_address: settings.lastAddress,
      last_name: settings.lastName,
      last_is_verified: settings.lastIsVerified,
      storage_type: options.storageType,
    };
    return { status: 200, body };
  };
}
