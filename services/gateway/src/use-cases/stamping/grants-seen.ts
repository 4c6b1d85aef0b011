import type { AccountStore } from '@indelible/accounts';
import type { Hex } from '@indelible/identifiers';
import { type Logger, together } from '@indelible/service-runtime';

const maxNoted = 100_000;

/** A confirmed stamp proves its account's grant: noted once per account and process, again after a fault. */
export function createGrantsSeen(
  accounts: Pick<AccountStore, 'noteGrantsSeen'>,
  logger: Pick<Logger, 'warn'>,
): (account: Hex) => void {
  const noted = new Set<Hex>();
  const note = together(async (fresh: readonly Hex[]) => {
    await accounts.noteGrantsSeen(fresh);
    return [];
  });
  return (account) => {
    if (noted.has(account)) return;
    if (noted.size > maxNoted) noted.clear();
    noted.add(account);
    note(account).catch((error: unknown) => {
      noted.delete(account);
      logger.warn({ err: error }, 'Grants not noted');
    });
  };
}
