/** Shares are of at least this part of the bound: a process that has just started knows few commands. */
const comparedPart = 0.1;

/**
 * Remembers the accounts of the newest `max` commands that this process published: a sample of those that wait in a topic with such
 * a lag, since other processes publish to it, too.
 */
export function createNewestCommands(max: number) {
  const accounts: string[] = [];
  let next = 0;
  const countOf = new Map<string, number>();

  return {
    add(account: string): void {
      const oldest = accounts[next];
      if (oldest !== undefined) {
        const left = (countOf.get(oldest) ?? 0) - 1;
        if (left > 0) countOf.set(oldest, left);
        else countOf.delete(oldest);
      }
      accounts[next] = account;
      next = (next + 1) % max;
      countOf.set(account, (countOf.get(account) ?? 0) + 1);
    },
    /** Whether the account has fewer of them than an even share. */
    hasLittle(account: string): boolean {
      const own = countOf.get(account) ?? 0;
      const parties = countOf.size + (own === 0 ? 1 : 0);
      return own < Math.max(accounts.length, max * comparedPart) / Math.max(2, parties);
    },
  };
}
