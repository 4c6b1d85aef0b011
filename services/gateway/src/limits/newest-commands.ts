/** Whose the newest commands of a topic are. */
export type NewestCommands = {
  add(account: string): void;
  /** Whether fewer of them are the account's than an even share. */
  hasLittle(account: string): boolean;
};

/** While fewer commands are known, so large a part of the bound is taken for known: a process may have just started. */
const comparedPart = 0.1;

/**
 * Remembers the accounts of the newest commands that this process published, `max` of them: of a topic that is so far behind, what
 * waits. Other processes publish to the topic as well; what this one published is a sample of it.
 */
export function createNewestCommands(max: number): NewestCommands {
  const accounts: string[] = [];
  let next = 0;
  const countOf = new Map<string, number>();

  return {
    add(account) {
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
    hasLittle(account) {
      const own = countOf.get(account) ?? 0;
      const parties = countOf.size + (own === 0 ? 1 : 0);
      return own < Math.max(accounts.length, max * comparedPart) / Math.max(2, parties);
    },
  };
}
