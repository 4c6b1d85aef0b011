import { describe, expect, it } from '@jest/globals';
import { accountsOverShare, maySpend } from './funds-shares.ts';

/** What accounts end up with that all spend what they may, in turns. */
function flood(all: bigint, accounts: number): bigint[] {
  const own = Array.from({ length: accounts }, () => 0n);
  const free = () => all - own.reduce((sum, each) => sum + each, 0n);
  for (let moved = true; moved; ) {
    moved = false;
    for (const [i, spent] of own.entries()) {
      if (!maySpend(spent, free())) continue;
      own[i] = spent + 1n;
      moved = true;
    }
  }
  return own;
}

describe('what lanes own (I12)', () => {
  it.each([1, 2, 5, 20])('is shared by %i accounts that flood, with a share left for those who do not', (accounts) => {
    const all = 1_000n;
    const own = flood(all, accounts);
    for (const spent of own) expect(Math.abs(Number(spent) - 1_000 / (accounts + 1))).toBeLessThanOrEqual(1);
    const free = all - own.reduce((sum, each) => sum + each, 0n);
    expect(maySpend(0n, free)).toBe(true);
  });

  it('is never more than there is', () => {
    expect(maySpend(0n, 0n)).toBe(false);
    expect(maySpend(10n, 10n)).toBe(false);
  });

  it('is used up by those alone that spent as much as is free', () => {
    const [ada, eve] = [`0x${'a'.repeat(40)}`, `0x${'e'.repeat(40)}`] as const;
    const spent = [
      { account: ada, wei: 10n ** 19n },
      { account: eve, wei: 10n ** 18n },
    ];
    expect(accountsOverShare({ freeWei: 10n ** 19n, isShared: true }, spent)).toEqual([spent[0]]);
    expect(accountsOverShare({ freeWei: 10n ** 19n + 1n, isShared: true }, spent)).toEqual([]);
  });

  it('is the account’s alone that has nobody to share with', () => {
    const spent = [{ account: `0x${'a'.repeat(40)}` as const, wei: 10n }];
    expect(accountsOverShare({ freeWei: 1n, isShared: false }, spent)).toEqual([]);
  });
});
