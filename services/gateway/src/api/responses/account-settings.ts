import type { AccountSettings } from '@indelible/accounts';
import type { components } from '../generated/openapi.ts';

export type StorageType = 'gcs' | 'local';

/** An account's settings, all ten keys; the e-mail is masked for any other account. */
export const accountSettings = (
  settings: AccountSettings,
  shown: { readonly storageType: StorageType; readonly toItself: boolean },
): components['schemas']['AccountSettings'] => ({
  name: settings.name,
  email: shown.toItself ? settings.email : maskEmail(settings.email),
  persistent_id: settings.persistentId,
  description: settings.description,
  display_timezone: settings.displayTimezone,
  date_joined: settings.dateJoined.toISOString(),
  last_address: settings.lastAddress,
  last_name: settings.lastName,
  last_is_verified: settings.lastIsVerified,
  storage_type: shown.storageType,
});

/** `jane@example.com` → `j***@example.com`: one character, whatever the length. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const [first = ''] = at < 0 ? [] : email.slice(0, at);
  return `${first}***${at < 0 ? '' : email.slice(at)}`;
}
