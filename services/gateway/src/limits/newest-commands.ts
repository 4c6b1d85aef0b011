/** Shares are at least of this part of the bound: a newly started process knows few commands. */
const comparedPart = 0.1;

/**
 * Remembers the accounts of the newest `max` commands of this process: a sample of those in a topic with such a lag,
 * since other processes publish too.
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
