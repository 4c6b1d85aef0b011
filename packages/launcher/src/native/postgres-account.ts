import { createHash } from 'node:crypto';
import { chown, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** An account of the operating system. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** For data that the account cannot reach in the project's folder: the usual place for service state on Unix. */
const SHARED_STATE = '/var/lib/indelible';

/**
 * The account Postgres must run as: undefined (our own) unless we are root, whom Postgres refuses. For root it is `postgres` if the
 * system has it, else `nobody`; accounts are never created.
 */
export async function findAccount(uid: number | undefined): Promise<Account | undefined> {
  if (uid !== 0) return undefined;
  const accounts = parseAccounts(await readFile('/etc/passwd', 'utf8'));
  return accounts.get('postgres') ?? accounts.get('nobody');
}

/** Accounts by name from the text of a passwd file. */
export function parseAccounts(passwd: string): Map<string, Account> {
  const accounts = new Map<string, Account>();
  for (const line of passwd.split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name && Number(uid) > 0 && Number(gid) > 0) accounts.set(name, { uid: Number(uid), gid: Number(gid) });
  }
  return accounts;
}

/** Whether the account may pass every folder on the way to `path`, itself included. Without an account: yes. */
export async function canReach(account: Account | undefined, path: string): Promise<boolean> {
  if (account === undefined) return true;
  for (let folder = path; ; folder = dirname(folder)) {
    const status = await stat(folder).catch(() => undefined);
    if (status !== undefined) {
      const bit = status.uid === account.uid ? 0o100 : status.gid === account.gid ? 0o010 : 0o001;
      if ((status.mode & bit) === 0) return false;
    }
    if (folder === dirname(folder)) return true;
  }
}

/**
 * A folder for `purpose` that only the account can read: inside `dataDir` if the account can reach it there, else under
 * the system's folder for state, named after `dataDir` so that every start finds the same one.
 */
export async function provideFolder(account: Account | undefined, dataDir: string, purpose: string): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const folder = (await canReach(account, dataDir)) ? join(dataDir, purpose) : join(relocatedFolder(dataDir), purpose);
  await mkdir(dirname(folder), { recursive: true, mode: 0o755 });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (account !== undefined) await chown(folder, account.uid, account.gid);
  return folder;
}

/** Where {@link provideFolder} puts the data of a `dataDir` that the account cannot reach. */
export function relocatedFolder(dataDir: string): string {
  return join(SHARED_STATE, createHash('sha256').update(dataDir).digest('hex').slice(0, 16));
}
